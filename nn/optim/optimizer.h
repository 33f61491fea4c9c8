// Optimizer: what changes parameters by their gradients.
//
//   optim::AdamW optimizer(model.NamedParameters(), {.lr = 1e-3});
//   for (int64_t step = 0; step < steps; ++step) {
//     optimizer.SetLr(schedule(step));
//     optimizer.ZeroGrad();
//     Backward(model.Loss(x, y));
//     optimizer.Step(ClipFactor(GradNorm(optimizer.Parameters()), 1.0));
//   }
//
// Parameters come in groups; a group has its own learning rate and weight decay, or inherits the
// optimizer's:
//
//   optim::AdamW optimizer({{.parameters = matrices}, {.parameters = vectors, .weight_decay = 0}},
//                          {.lr = 1e-3, .weight_decay = 0.1});
#ifndef LEMMA_NN_OPTIM_OPTIMIZER_H_
#define LEMMA_NN_OPTIM_OPTIMIZER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "autograd/tensor.h"
#include "nn/module.h"

namespace lemma::optim {

using nn::NamedTensor;

struct ParameterGroup {
  std::vector<NamedTensor> parameters = {};
  std::optional<double> lr = std::nullopt;
  std::optional<double> weight_decay = std::nullopt;
};

// Base of all optimizers: groups, learning rates, and the state that a resume needs. A parameter
// without a gradient is passed over, state and all.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  virtual const char* type() const = 0;

  // One update by grad() * grad_scale of every parameter.
  void Step(double grad_scale = 1);
  // Drops every grad().
  void ZeroGrad();

  // Sets the learning rate of the groups that inherit it; a group with one of its own keeps the
  // ratio that it had to the optimizer's.
  void SetLr(double lr);
  double lr() const { return lr_; }
  std::vector<Tensor> Parameters() const;

  // The state by name: "exp_avg.NAME", "step.NAME" for a parameter NAME. Tensors share memory with
  // the optimizer's.
  std::vector<NamedTensor> State() const;
  // Replaces it. Reports every missing, unexpected and misshaped entry at once, and then changes
  // nothing. An optimizer that has made no step has no state: an empty list is fine.
  absl::Status LoadState(const std::vector<NamedTensor>& state);

 protected:
  // One parameter with its state.
  struct Slot {
    std::string name;
    Tensor parameter;
    int group = 0;
    int64_t steps = 0;               // updates made
    std::vector<Tensor> state = {};  // as StateNames(); undefined before the first update
  };
  struct Group {
    double lr_ratio = 1;
    double weight_decay = 0;
  };

  Optimizer(std::vector<ParameterGroup> groups, double lr, double weight_decay);

  // Names of the state tensors of a parameter, each of the parameter's shape and dtype.
  virtual absl::Span<const char* const> StateNames() const = 0;
  // Updates those slots that have a gradient; their `steps` already count this update, and their
  // state is defined, 0 at first.
  virtual void Update(absl::Span<Slot* const> slots, double grad_scale) = 0;

  double LrOf(const Slot& slot) const { return lr_ * groups_[slot.group].lr_ratio; }
  double WeightDecayOf(const Slot& slot) const { return groups_[slot.group].weight_decay; }

 private:
  double lr_;
  std::vector<Group> groups_;
  std::vector<Slot> slots_;
};

}  // namespace lemma::optim

#endif  // LEMMA_NN_OPTIM_OPTIMIZER_H_
