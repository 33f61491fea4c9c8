#include "nn/optim/adam.h"

#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "autograd/error.h"
#include "autograd/kernels/adamw.h"
#include "autograd/ops/arithmetic.h"

namespace lemma::optim {
namespace {

constexpr const char* kMoments[] = {"exp_avg", "exp_avg_sq"};

void CheckOptions(const char* type, double beta1, double beta2, double eps) {
  if (!(beta1 >= 0 && beta1 < 1 && beta2 >= 0 && beta2 < 1)) {
    Fail(type, "beta1 and beta2 must be in [0, 1); they are ", beta1, " and ", beta2);
  }
  if (!(eps >= 0)) Fail(type, "eps: it can't be negative; it is ", eps);
}

// One parameter of an update, and what it shares with others that one kernel call can serve.
struct Entry {
  Tensor parameter, grad, exp_avg, exp_avg_sq;
  double lr, weight_decay;
  int64_t step;

  auto Key() const { return std::tuple(parameter.dtype(), lr, weight_decay, step); }
};

template <typename T>
void RunKernel(std::span<Entry> entries, kernels::AdamWOptions options) {
  std::vector<kernels::AdamWTensor<T>> tensors;
  for (Entry& entry : entries) {
    tensors.push_back({entry.parameter.mutable_data<T>(), entry.grad.data<T>(),
                       entry.exp_avg.mutable_data<T>(), entry.exp_avg_sq.mutable_data<T>(),
                       entry.parameter.numel()});
  }
  options.lr = entries[0].lr;
  options.weight_decay = entries[0].weight_decay;
  options.step = entries[0].step;
  kernels::AdamWUpdate<T>(tensors, options);
}

// One kernel call for each run of entries with the same dtype, rate, decay and step.
void UpdateAll(const char* type, std::vector<Entry> entries, const kernels::AdamWOptions& options) {
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin + 1;
    while (end < entries.size() && entries[end].Key() == entries[begin].Key()) ++end;
    const std::span<Entry> run(entries.data() + begin, end - begin);
    switch (run[0].parameter.dtype()) {
      case DType::kFloat32:
        RunKernel<float>(run, options);
        break;
      case DType::kFloat64:
        RunKernel<double>(run, options);
        break;
      default:
        Fail(type, "parameters must be float32 or float64; one is ",
             Name(run[0].parameter.dtype()));
    }
    begin = end;
  }
}

}  // namespace

AdamW::AdamW(std::vector<ParameterGroup> groups, const AdamWOptions& options)
    : Optimizer(std::move(groups), options.lr, options.weight_decay), options_(options) {
  CheckOptions(type(), options.beta1, options.beta2, options.eps);
}

absl::Span<const char* const> AdamW::StateNames() const { return kMoments; }

void AdamW::Update(absl::Span<Slot* const> slots, double grad_scale) {
  std::vector<Entry> entries;
  for (Slot* slot : slots) {
    entries.push_back({slot->parameter, slot->parameter.grad().DetachedContiguous(), slot->state[0],
                       slot->state[1], LrOf(*slot), WeightDecayOf(*slot), slot->steps});
  }
  UpdateAll(type(), std::move(entries),
            {.beta1 = options_.beta1,
             .beta2 = options_.beta2,
             .eps = options_.eps,
             .grad_scale = grad_scale});
}

Adam::Adam(std::vector<ParameterGroup> groups, const AdamOptions& options)
    : Optimizer(std::move(groups), options.lr, options.weight_decay), options_(options) {
  CheckOptions(type(), options.beta1, options.beta2, options.eps);
}

absl::Span<const char* const> Adam::StateNames() const { return kMoments; }

void Adam::Update(absl::Span<Slot* const> slots, double grad_scale) {
  std::vector<Entry> entries;
  for (Slot* slot : slots) {
    Tensor grad = slot->parameter.grad();
    const double decay = WeightDecayOf(*slot);
    // Decay goes into the gradient, after clipping.
    if (decay != 0) grad = grad * grad_scale + slot->parameter.Detach() * decay;
    entries.push_back({slot->parameter, grad.DetachedContiguous(), slot->state[0], slot->state[1],
                       LrOf(*slot), decay, slot->steps});
  }
  for (Entry& entry : entries) {
    const double scale = entry.weight_decay != 0 ? 1 : grad_scale;
    entry.weight_decay = 0;
    UpdateAll(type(), {entry},
              {.beta1 = options_.beta1,
               .beta2 = options_.beta2,
               .eps = options_.eps,
               .grad_scale = scale});
  }
}

}  // namespace lemma::optim
