#include "tools/grading/model/gpt_model.h"

#include <utility>

#include "autograd/ops/in_place.h"
#include "autograd/ops/join.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"

namespace lemma::tools::grading {

Tensor GptModel::CachedLogits(const Tensor& tokens, absl::Span<const int64_t> pieces) {
  models::GptCache cache(gpt_->config());
  std::vector<Tensor> logits;
  int64_t begin = 0;
  for (const int64_t piece : pieces) {
    logits.push_back((*gpt_)(Slice(tokens, 1, begin, begin + piece), &cache));
    begin += piece;
  }
  return Concat(logits, 1);
}

std::unique_ptr<models::Gpt> GptModel::Drawn(uint64_t seed) const {
  models::GptConfig config = gpt_->config();
  config.dropout = 0;
  Generator generator(seed);
  return std::make_unique<models::Gpt>(config, generator);
}

std::unique_ptr<JudgedModel> GptModel::Copy(DType dtype) const {
  std::unique_ptr<models::Gpt> copy = Drawn(0);
  const std::vector<Tensor> from = gpt_->Parameters();
  std::vector<Tensor> to = copy->Parameters();
  {
    const NoGrad no_grad;
    for (size_t i = 0; i < to.size(); ++i) CopyFrom(to[i], from[i]);
  }
  if (dtype != DType::kFloat32) copy->To(dtype);
  return std::make_unique<GptModel>(std::move(copy));
}

std::unique_ptr<JudgedModel> GptModel::Fresh(uint64_t seed) const {
  return std::make_unique<GptModel>(Drawn(seed));
}

}  // namespace lemma::tools::grading
