#include "tools/figures/attention_maps.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autograd/ops/views.h"
#include "nn/module.h"

namespace lemma::tools {
namespace {

class WeightsObserver : public nn::Observer {
 public:
  void OnCall(const std::string&, const char*, const TensorList&, const Tensor&) override {}
  void OnValue(const std::string&, const std::string& name, const Tensor& value) override {
    if (name == "weights") weights_.push_back(value.DetachedContiguous());
  }
  std::vector<Tensor> Take() { return std::move(weights_); }

 private:
  std::vector<Tensor> weights_;  // in the order of the layers, which is that of the calls
};

absl::Status CheckIndex(const char* what, int64_t index, int64_t count) {
  if (index >= -1 && index < count) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("--", what, "=", index, ": the model has ", what,
                                                 "s 0 to ", count - 1, "; -1 shows all"));
}

}  // namespace

std::vector<Tensor> ObserveAttention(models::Gpt& model, const Tensor& tokens) {
  const NoGrad no_grad;
  WeightsObserver observer;
  const nn::Observer::Scope scope(observer);
  model.Hidden(tokens);
  return observer.Take();
}

absl::StatusOr<std::vector<HeadIndex>> ChosenHeads(const models::GptConfig& config,
                                                   const HeadChoice& choice) {
  if (absl::Status layer = CheckIndex("layer", choice.layer, config.layers); !layer.ok()) {
    return layer;
  }
  if (absl::Status head = CheckIndex("head", choice.head, config.heads); !head.ok()) return head;
  std::vector<HeadIndex> heads;
  for (int64_t l = 0; l < config.layers; ++l) {
    for (int64_t h = 0; h < config.heads; ++h) {
      const bool is_chosen = (choice.layer < 0 || choice.layer == l) &&  //
                             (choice.head < 0 || choice.head == h);
      if (is_chosen) heads.push_back({l, h});
    }
  }
  return heads;
}

MatrixFigure HeadPanels(const std::vector<Tensor>& maps, const std::vector<HeadIndex>& heads) {
  MatrixFigure figure;
  for (const HeadIndex& index : heads) {
    const Tensor text = Slice(maps[index.layer], 0, 0, 1);             // (1, H, T, T)
    const Tensor matrix = Slice(text, 1, index.head, index.head + 1);  // (1, 1, T, T)
    figure.panels.push_back({.title = absl::StrCat("layer ", index.layer, ", head ", index.head),
                             .weights = matrix.ToVector<float>()});
  }
  const int64_t in_first_layer =
      std::count_if(heads.begin(), heads.end(),
                    [&](const HeadIndex& index) { return index.layer == heads[0].layer; });
  figure.columns = in_first_layer > 1 ? in_first_layer : static_cast<int64_t>(heads.size());
  return figure;
}

}  // namespace lemma::tools
