#include "nn/state_dict.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/ops/in_place.h"

namespace lemma::nn {
namespace {

std::string Sentence(const char* what, const std::vector<std::string>& names) {
  constexpr size_t kShown = 8;
  if (names.empty()) return "";
  const size_t shown = std::min(names.size(), kShown);
  std::string text =
      absl::StrCat("; ", what, ": ", absl::StrJoin(names.begin(), names.begin() + shown, ", "));
  if (names.size() > shown) absl::StrAppend(&text, " and ", names.size() - shown, " more");
  return text;
}

}  // namespace

std::vector<NamedTensor> StateDict(const Module& module) {
  std::vector<NamedTensor> state = module.NamedParameters();
  for (NamedTensor& named : module.NamedBuffers()) state.push_back(std::move(named));
  return state;
}

absl::Status LoadStateDict(Module& module, const std::vector<NamedTensor>& state) {
  absl::flat_hash_map<std::string, const Tensor*> given;
  std::vector<std::string> missing, unexpected, twice, misshaped;
  for (const NamedTensor& named : state) {
    if (!given.emplace(named.name, &named.value).second) twice.push_back(named.name);
  }
  // What is filled: a parameter where its own name is given, else its row views where one is.
  std::vector<NamedTensor> targets;
  for (const Module::ParameterNames& names : module.AllNames()) {
    const bool as_views =
        !given.contains(names.parameter.name) &&
        std::any_of(names.views.begin(), names.views.end(),
                    [&](const NamedTensor& view) { return given.contains(view.name); });
    if (as_views) {
      targets.insert(targets.end(), names.views.begin(), names.views.end());
    } else {
      targets.push_back(names.parameter);
    }
  }
  for (NamedTensor& named : module.NamedBuffers()) targets.push_back(std::move(named));
  for (const NamedTensor& target : targets) {
    auto it = given.find(target.name);
    if (it == given.end()) {
      missing.push_back(target.name);
      continue;
    }
    if (!it->second->defined()) {
      misshaped.push_back(absl::StrCat(target.name, " is undefined"));
    } else if (it->second->shape() != target.value.shape()) {
      misshaped.push_back(absl::StrCat(target.name, " is ", it->second->shape().ToString(),
                                       ", the model's is ", target.value.shape().ToString()));
    }
    given.erase(it);
  }
  for (const NamedTensor& named : state) {
    if (given.contains(named.name)) unexpected.push_back(named.name);
  }
  const std::string faults =
      absl::StrCat(Sentence("missing", missing), Sentence("unexpected", unexpected),
                   Sentence("given twice", twice), Sentence("of another shape", misshaped));
  if (!faults.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the parameters do not fit the ", module.type(), faults));
  }
  absl::flat_hash_map<std::string, const Tensor*> values;
  for (const NamedTensor& named : state) values[named.name] = &named.value;
  NoGrad no_grad;
  for (NamedTensor& target : targets) CopyFrom(target.value, *values[target.name]);
  return absl::OkStatus();
}

}  // namespace lemma::nn
