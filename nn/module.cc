#include "nn/module.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "autograd/ops/cast.h"

namespace lemma::nn {
namespace {

thread_local Observer* current_observer = nullptr;

// Rows [begin, end) of a matrix or vector: the same memory, without history.
Tensor Rows(const Tensor& x, const RowView& view) {
  Shape shape = x.shape();
  shape[0] = view.end - view.begin;
  return Tensor::View(x.storage(), x.dtype(), shape, x.strides(),
                      x.offset() + view.begin * x.strides()[0]);
}

// What tied parameters have in common and no others: the leaf, or where it is frozen the memory.
using Identity = std::pair<const void*, int64_t>;
Identity IdentityOf(const Tensor& parameter) {
  if (const Edge* edge = parameter.edge()) return {edge->node.get(), 0};
  return {parameter.storage().get(), parameter.offset()};
}

}  // namespace

Observer::Scope::Scope(Observer& observer) : before_(std::exchange(current_observer, &observer)) {}
Observer::Scope::~Scope() { current_observer = before_; }
Observer* Observer::Current() { return current_observer; }

void Module::CheckName(const std::string& name) const {
  const auto is_taken = [&](const auto& list, const auto& name_of) {
    return std::any_of(list.begin(), list.end(),
                       [&](const auto& entry) { return name_of(entry) == name; });
  };
  const auto own = [](const Parameter& parameter) { return parameter.name; };
  if (name.empty()) Fail("Module", "Register: a name is needed, such as \"fc\"");
  if (is_taken(parameters_, own) || is_taken(buffers_, own) ||
      is_taken(children_, [](const auto& child) { return child.first; })) {
    Fail("Module", "Register: the name \"", name,
         "\" is taken in this module; give each parameter, "
         "buffer and submodule one of its own");
  }
}

void Module::Register(std::string name, Tensor& parameter) {
  if (!parameter.defined()) return;
  CheckName(name);
  if (!IsFloat(parameter.dtype())) {
    Fail("Module", "Register: \"", name, "\" is ", Name(parameter.dtype()),
         ", and parameters are of a float type; RegisterBuffer takes any");
  }
  parameter.SetRequiresGrad(true);
  parameters_.push_back({std::move(name), &parameter});
}

void Module::RegisterBuffer(std::string name, Tensor& buffer) {
  if (!buffer.defined()) return;
  CheckName(name);
  if (buffer.requires_grad()) {
    Fail("Module", "RegisterBuffer: \"", name,
         "\" requires a gradient, which is what parameters do; "
         "call Register, or give it Detach()ed");
  }
  buffers_.push_back({std::move(name), &buffer});
}

void Module::Register(std::string name, Module& child) {
  CheckName(name);
  if (&child == this) Fail("Module", "Register: \"", name, "\" is the module itself");
  child.name_ = name;
  children_.emplace_back(std::move(name), &child);
}

void Module::ListRowViews(std::string parameter, std::vector<RowView> views) {
  viewed_.push_back({std::move(parameter), std::move(views)});
}

std::vector<Module::ParameterNames> Module::Collect() const {
  std::vector<ParameterNames> list;
  for (const Parameter& parameter : parameters_) {
    list.push_back({{parameter.name, *parameter.value}, {}});
  }
  for (const auto& [child_name, child] : children_) {
    for (ParameterNames& names : child->Collect()) {
      names.parameter.name = absl::StrCat(child_name, ".", names.parameter.name);
      for (NamedTensor& view : names.views) view.name = absl::StrCat(child_name, ".", view.name);
      list.push_back(std::move(names));
    }
  }
  for (const ViewedParameter& viewed : viewed_) {
    for (ParameterNames& names : list) {
      if (names.parameter.name != viewed.name) continue;
      for (const RowView& view : viewed.views) {
        names.views.push_back({view.name, Rows(names.parameter.value, view)});
      }
    }
  }
  return list;
}

std::vector<Module::ParameterNames> Module::AllNames() const {
  std::vector<ParameterNames> unique;
  absl::flat_hash_set<Identity> seen;
  for (ParameterNames& names : Collect()) {
    if (seen.insert(IdentityOf(names.parameter.value)).second) unique.push_back(std::move(names));
  }
  return unique;
}

std::vector<NamedTensor> Module::NamedParameters() const {
  std::vector<NamedTensor> parameters;
  for (ParameterNames& names : AllNames()) parameters.push_back(std::move(names.parameter));
  return parameters;
}

std::vector<NamedTensor> Module::NamedParameterViews() const {
  std::vector<NamedTensor> result;
  for (ParameterNames& names : AllNames()) {
    if (names.views.empty()) result.push_back(std::move(names.parameter));
    for (NamedTensor& view : names.views) result.push_back(std::move(view));
  }
  return result;
}

std::vector<Tensor> Module::Parameters() const {
  std::vector<Tensor> values;
  for (NamedTensor& named : NamedParameters()) values.push_back(std::move(named.value));
  return values;
}

std::vector<NamedTensor> Module::NamedBuffers() const {
  std::vector<NamedTensor> list;
  for (const Parameter& buffer : buffers_) list.push_back({buffer.name, *buffer.value});
  for (const auto& [child_name, child] : children_) {
    for (NamedTensor& named : child->NamedBuffers()) {
      list.push_back({absl::StrCat(child_name, ".", named.name), std::move(named.value)});
    }
  }
  return list;
}

int64_t Module::NumParameters() const {
  int64_t count = 0;
  for (const Tensor& parameter : Parameters()) count += parameter.numel();
  return count;
}

void Module::ForEach(const std::function<void(const std::string& path, Module& module)>& fn) {
  fn("", *this);
  for (const auto& [child_name, child] : children_) {
    child->ForEach([&, &name = child_name](const std::string& path, Module& module) {
      fn(path.empty() ? name : absl::StrCat(name, ".", path), module);
    });
  }
}

void Module::Train(bool training) {
  training_ = training;
  for (const auto& [name, child] : children_) child->Train(training);
}

void Module::ZeroGrad() {
  for (Tensor parameter : Parameters()) parameter.SetGrad(Tensor());
}

std::vector<Tensor*> Module::CollectMembers() const {
  std::vector<Tensor*> members;
  for (const Parameter& parameter : parameters_) members.push_back(parameter.value);
  for (const Parameter& buffer : buffers_) members.push_back(buffer.value);
  for (const auto& [name, child] : children_) {
    for (Tensor* member : child->CollectMembers()) members.push_back(member);
  }
  return members;
}

void Module::To(DType dtype) {
  if (!IsFloat(dtype)) Fail(type(), "dtype: parameters are of a float type, not ", Name(dtype));
  const NoGrad no_grad;
  // The old tensors are kept until the end, so that no address is used twice.
  absl::flat_hash_map<Identity, std::pair<Tensor, Tensor>> converted;
  for (Tensor* member : CollectMembers()) {
    if (member->dtype() == dtype || !IsFloat(member->dtype())) continue;
    auto& [before, after] = converted[IdentityOf(*member)];
    if (!after.defined()) {
      before = *member;
      after = Cast(member->Detach(), dtype).SetRequiresGrad(before.requires_grad());
    }
    *member = after;
  }
}

void Module::Report(const std::string& name, const Tensor& value) const {
  if (current_observer != nullptr) current_observer->OnValue(ErrorScope::Path(), name, value);
}

void Module::ReportCall(const TensorList& inputs, const Tensor& output) const {
  if (current_observer != nullptr) {
    current_observer->OnCall(ErrorScope::Path(), type(), inputs, output);
  }
}

}  // namespace lemma::nn
