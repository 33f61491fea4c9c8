// Adam and AdamW. Kingma and Ba, arXiv:1412.6980; Loshchilov and Hutter, arXiv:1711.05101.
#ifndef LEMMA_NN_OPTIM_ADAM_H_
#define LEMMA_NN_OPTIM_ADAM_H_

#include <utility>
#include <vector>

#include "nn/optim/optimizer.h"

namespace lemma::optim {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  // added to the gradient: g + weight_decay p
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;  // decoupled: p *= 1 - lr weight_decay
};

// As torch.optim.AdamW, in its order of operations (autograd/kernels/adamw.h). float32 and float64.
class AdamW : public Optimizer {
 public:
  AdamW(std::vector<ParameterGroup> groups, const AdamWOptions& options = {});
  AdamW(std::vector<NamedTensor> parameters, const AdamWOptions& options = {})
      : AdamW(std::vector<ParameterGroup>{{.parameters = std::move(parameters)}}, options) {}

  const char* type() const override { return "AdamW"; }

 protected:
  absl::Span<const char* const> StateNames() const override;
  void Update(absl::Span<Slot* const> slots, double grad_scale) override;

 private:
  const AdamWOptions options_;
};

// As torch.optim.Adam.
class Adam : public Optimizer {
 public:
  Adam(std::vector<ParameterGroup> groups, const AdamOptions& options = {});
  Adam(std::vector<NamedTensor> parameters, const AdamOptions& options = {})
      : Adam(std::vector<ParameterGroup>{{.parameters = std::move(parameters)}}, options) {}

  const char* type() const override { return "Adam"; }

 protected:
  absl::Span<const char* const> StateNames() const override;
  void Update(absl::Span<Slot* const> slots, double grad_scale) override;

 private:
  const AdamOptions options_;
};

}  // namespace lemma::optim

#endif  // LEMMA_NN_OPTIM_ADAM_H_
