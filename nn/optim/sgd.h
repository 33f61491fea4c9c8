// Stochastic gradient descent, with momentum or Nesterov's. Sutskever et al., ICML 2013.
#ifndef LEMMA_NN_OPTIM_SGD_H_
#define LEMMA_NN_OPTIM_SGD_H_

#include <utility>
#include <vector>

#include "nn/optim/optimizer.h"

namespace lemma::optim {

struct SgdOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;  // added to the gradient: g + weight_decay p
  bool nesterov = false;    // needs momentum > 0 and dampening 0
};

// As torch.optim.SGD: b = momentum b + (1 - dampening) g (b = g at first), then p -= lr b, or
// p -= lr (g + momentum b) for Nesterov's.
class Sgd : public Optimizer {
 public:
  Sgd(std::vector<ParameterGroup> groups, const SgdOptions& options = {});
  Sgd(std::vector<NamedTensor> parameters, const SgdOptions& options = {})
      : Sgd(std::vector<ParameterGroup>{{.parameters = std::move(parameters)}}, options) {}

  const char* type() const override { return "SGD"; }

 protected:
  absl::Span<const char* const> StateNames() const override;
  void Update(absl::Span<Slot* const> slots, double grad_scale) override;

 private:
  const SgdOptions options_;
};

}  // namespace lemma::optim

#endif  // LEMMA_NN_OPTIM_SGD_H_
