#include "nn/optim/optimizer.h"

#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/create.h"
#include "autograd/error.h"

namespace lemma::optim {

Optimizer::Optimizer(std::vector<ParameterGroup> groups, double lr, double weight_decay) : lr_(lr) {
  SetLr(lr);
  absl::flat_hash_set<const Node*> leaves;
  absl::flat_hash_set<std::string> names;
  for (ParameterGroup& group : groups) {
    const int index = static_cast<int>(groups_.size());
    if (group.lr.has_value() && !(*group.lr >= 0)) {
      Fail("optimizer", "lr of a group: it must be a number from 0 on; it is ", *group.lr);
    }
    if (group.lr.has_value() && lr == 0) {
      Fail("optimizer", "lr: a group has a rate of its own, as a ratio to lr, so lr can't be 0");
    }
    groups_.push_back({.lr_ratio = group.lr.has_value() ? *group.lr / lr : 1,
                       .weight_decay = group.weight_decay.value_or(weight_decay)});
    for (NamedTensor& named : group.parameters) {
      if (!named.value.requires_grad() || !named.value.is_leaf()) {
        Fail("optimizer", named.name,
             ": it is not a leaf that requires a gradient; call SetRequiresGrad(true) on a leaf");
      }
      if (!named.value.IsContiguous()) {
        Fail("optimizer", named.name,
             ": its elements must be contiguous; update a Contiguous() copy instead");
      }
      if (!names.insert(named.name).second) {
        Fail("optimizer", named.name, ": it is given twice");
      }
      if (!leaves.insert(named.value.edge()->node.get()).second) {
        Fail("optimizer", named.name,
             ": it is a tensor that was given under another name already; ",
             "each is updated once");
      }
      slots_.push_back({std::move(named.name), std::move(named.value), index});
    }
  }
}

void Optimizer::Step(double grad_scale) {
  NoGrad no_grad;
  std::vector<Slot*> ready;
  for (Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    ++slot.steps;
    if (slot.state.empty()) {
      for (size_t i = 0; i < StateNames().size(); ++i) {
        slot.state.push_back(ZerosLike(slot.parameter));
      }
    }
    ready.push_back(&slot);
  }
  Update(ready, grad_scale);
}

void Optimizer::ZeroGrad() {
  for (Slot& slot : slots_) slot.parameter.SetGrad(Tensor());
}

void Optimizer::SetLr(double lr) {
  if (!(lr >= 0)) Fail("optimizer", "lr: it must be a number from 0 on; it is ", lr);
  lr_ = lr;
}

std::vector<Tensor> Optimizer::Parameters() const {
  std::vector<Tensor> parameters;
  for (const Slot& slot : slots_) parameters.push_back(slot.parameter);
  return parameters;
}

std::vector<NamedTensor> Optimizer::State() const {
  std::vector<NamedTensor> state;
  for (const Slot& slot : slots_) {
    if (slot.steps == 0) continue;
    state.push_back({absl::StrCat("step.", slot.name), FromValues<int64_t>({slot.steps}, Shape{})});
    for (size_t i = 0; i < slot.state.size(); ++i) {
      state.push_back({absl::StrCat(StateNames()[i], ".", slot.name), slot.state[i]});
    }
  }
  return state;
}

absl::Status Optimizer::LoadState(const std::vector<NamedTensor>& state) {
  absl::flat_hash_map<std::string, const Tensor*> given;
  for (const NamedTensor& named : state) given[named.name] = &named.value;
  std::vector<std::string> faults;
  auto take = [&](const std::string& name, const Shape& shape, DType dtype) -> const Tensor* {
    auto it = given.find(name);
    if (it == given.end()) {
      faults.push_back(absl::StrCat("missing: ", name));
      return nullptr;
    }
    const Tensor* value = it->second;
    given.erase(it);
    if (value->shape() != shape || value->dtype() != dtype) {
      faults.push_back(absl::StrCat(name, " is ", Name(value->dtype()), " ",
                                    value->shape().ToString(), ", expected ", Name(dtype), " ",
                                    shape.ToString()));
      return nullptr;
    }
    return value;
  };
  std::vector<Slot> loaded = slots_;
  for (Slot& slot : loaded) {
    slot.steps = 0;
    slot.state.clear();
    if (!given.contains(absl::StrCat("step.", slot.name))) continue;  // never updated
    const Tensor* steps = take(absl::StrCat("step.", slot.name), {}, DType::kInt64);
    if (steps != nullptr) slot.steps = *steps->data<int64_t>();
    if (steps != nullptr && slot.steps < 1) {
      faults.push_back(absl::StrCat("step.", slot.name, " is ", slot.steps,
                                    "; a parameter that has state has made a step"));
    }
    for (const char* name : StateNames()) {
      const Tensor* value =
          take(absl::StrCat(name, ".", slot.name), slot.parameter.shape(), slot.parameter.dtype());
      if (value == nullptr) continue;
      Tensor copy = Tensor::Empty(value->shape(), value->dtype());
      std::memcpy(copy.mutable_raw_data(), value->DetachedContiguous().raw_data(),
                  static_cast<size_t>(copy.numel()) * SizeOf(copy.dtype()));
      slot.state.push_back(copy);
    }
  }
  for (const auto& [name, value] : given) faults.push_back(absl::StrCat("unexpected: ", name));
  if (!faults.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the optimizer state does not fit ", type(),
                     " over these parameters: ", absl::StrJoin(faults, "; ")));
  }
  slots_ = std::move(loaded);
  return absl::OkStatus();
}

}  // namespace lemma::optim
