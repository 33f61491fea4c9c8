#include "nn/optim/sgd.h"

#include <utility>

#include "autograd/error.h"

namespace lemma::optim {

Sgd::Sgd(std::vector<ParameterGroup> groups, const SgdOptions& options)
    : Optimizer(std::move(groups), options.lr, options.weight_decay), options_(options) {
  if (!(options.momentum >= 0))
    Fail("SGD", "momentum: it can't be negative; it is ", options.momentum);
  if (options.nesterov && (options.momentum <= 0 || options.dampening != 0)) {
    Fail("SGD", "nesterov: it needs momentum > 0 and dampening 0; they are ", options.momentum,
         " and ", options.dampening);
  }
}

absl::Span<const char* const> Sgd::StateNames() const {
  static constexpr const char* kNames[] = {"momentum_buffer"};
  return absl::MakeConstSpan(kNames, options_.momentum > 0 ? 1 : 0);
}

void Sgd::Update(absl::Span<Slot* const> slots, double grad_scale) {
  for (Slot* slot : slots) {
    const Tensor grad = slot->parameter.grad().DetachedContiguous();
    const bool first = slot->steps == 1;
    VisitFloat(grad.dtype(), [&]<typename T>() {
      using A = Accumulator<T>;
      const A lr = static_cast<A>(LrOf(*slot)), decay = static_cast<A>(WeightDecayOf(*slot));
      const A momentum = static_cast<A>(options_.momentum);
      const A dampening = static_cast<A>(1 - options_.dampening);
      T* p = slot->parameter.mutable_data<T>();
      T* buffer = slot->state.empty() ? nullptr : slot->state[0].mutable_data<T>();
      const T* g = grad.data<T>();
      for (int64_t i = 0; i < grad.numel(); ++i) {
        const A value = static_cast<A>(p[i]);
        A step = static_cast<A>(g[i]) * static_cast<A>(grad_scale) + decay * value;
        if (buffer != nullptr) {
          const A b = first ? step : momentum * static_cast<A>(buffer[i]) + dampening * step;
          buffer[i] = static_cast<T>(b);
          step = options_.nesterov ? step + momentum * b : b;
        }
        p[i] = static_cast<T>(value - lr * step);
      }
    });
  }
}

}  // namespace lemma::optim
