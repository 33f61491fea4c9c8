#include "nn/module.h"

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

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

void ReplaceByViews(const std::vector<RowView>& views, size_t at, std::vector<NamedTensor>& list) {
  std::vector<NamedTensor> rows;
  for (const RowView& view : views) rows.push_back({view.name, Rows(list[at].value, view)});
  list.erase(list.begin() + at);
  list.insert(list.begin() + at, rows.begin(), rows.end());
}

}  // namespace

Observer::Scope::Scope(Observer& observer)
    : before_(std::exchange(current_observer, &observer)) {}
Observer::Scope::~Scope() { current_observer = before_; }
Observer* Observer::Current() { return current_observer; }

void Module::Register(std::string name, Tensor& parameter) {
  if (!parameter.defined()) return;
  parameter.SetRequiresGrad(true);
  parameters_.push_back({std::move(name), &parameter});
}

void Module::Register(std::string name, Module& child) {
  child.name_ = name;
  children_.emplace_back(std::move(name), &child);
}

void Module::ListRowViews(std::string parameter, std::vector<RowView> views) {
  viewed_.push_back({std::move(parameter), std::move(views)});
}

std::vector<NamedTensor> Module::Collect(bool as_views) const {
  std::vector<NamedTensor> list;
  for (const Parameter& parameter : parameters_) list.push_back({parameter.name, *parameter.value});
  for (const auto& [child_name, child] : children_) {
    for (NamedTensor& named : child->Collect(as_views)) {
      list.push_back({absl::StrCat(child_name, ".", named.name), std::move(named.value)});
    }
  }
  if (!as_views) return list;
  for (const ViewedParameter& viewed : viewed_) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].name != viewed.name) continue;
      ReplaceByViews(viewed.views, i, list);
      break;
    }
  }
  return list;
}

std::vector<NamedTensor> Module::NamedParameters() const {
  std::vector<NamedTensor> unique;
  absl::flat_hash_set<const Node*> seen;
  for (NamedTensor& named : Collect(/*as_views=*/false)) {
    if (seen.insert(named.value.edge()->node.get()).second) unique.push_back(std::move(named));
  }
  return unique;
}

std::vector<NamedTensor> Module::NamedParameterViews() const {
  std::vector<NamedTensor> unique;
  absl::flat_hash_set<const void*> seen;
  for (NamedTensor& named : Collect(/*as_views=*/true)) {
    if (seen.insert(named.value.raw_data()).second) unique.push_back(std::move(named));
  }
  return unique;
}

std::vector<Tensor> Module::Parameters() const {
  std::vector<Tensor> values;
  for (NamedTensor& named : NamedParameters()) values.push_back(std::move(named.value));
  return values;
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

void Module::Report(const std::string& name, const Tensor& value) const {
  if (current_observer != nullptr) current_observer->OnValue(ErrorScope::Path(), name, value);
}

void Module::ReportCall(const TensorList& inputs, const Tensor& output) const {
  if (current_observer != nullptr) {
    current_observer->OnCall(ErrorScope::Path(), type(), inputs, output);
  }
}

}  // namespace lemma::nn
