#include "tests/torch_ops/arguments.h"

#include "absl/strings/str_cat.h"

namespace lemma::torch_ops {
namespace {

std::string NameOf(int position, const char* keyword) {
  return *keyword ? keyword : absl::StrCat("argument ", position);
}

}  // namespace

const Argument* Arguments::Find(int position, const char* keyword) const {
  if (position >= 0 && position < size()) {
    read_.insert(absl::StrCat(position));
    return &positional_[position];
  }
  const auto found = keywords_.find(keyword);
  if (found == keywords_.end()) return nullptr;
  read_.insert(keyword);
  return &found->second;
}

template <typename T>
const T& Arguments::Get(int position, const char* keyword) const {
  const Argument* argument = Find(position, keyword);
  const T* value = argument ? std::get_if<T>(&argument->value) : nullptr;
  if (!value) throw NotMapped(NameOf(position, keyword) + " is missing or of another kind");
  return *value;
}

bool Arguments::has(int position, const char* keyword) const {
  const Argument* argument = Find(position, keyword);
  return argument && !std::holds_alternative<std::monostate>(argument->value);
}

bool Arguments::is_tensor(int position) const {
  const Argument* argument = Find(position, "");
  return argument && std::holds_alternative<Tensor>(argument->value);
}

bool Arguments::is_boolean(int position) const {
  const Argument* argument = Find(position, "");
  return argument && std::holds_alternative<bool>(argument->value);
}

Tensor Arguments::tensor(int position) const { return Get<Tensor>(position, ""); }

std::vector<Tensor> Arguments::tensors(int position) const {
  std::vector<Tensor> list;
  for (const Argument& argument : Get<ArgumentList>(position, "")) {
    list.push_back(std::get<Tensor>(argument.value));
  }
  return list;
}

int64_t Arguments::integer(int position, const char* keyword) const {
  return Get<int64_t>(position, keyword);
}

double Arguments::number(int position, const char* keyword) const {
  const Argument* argument = Find(position, keyword);
  if (argument && std::holds_alternative<int64_t>(argument->value)) {
    return static_cast<double>(std::get<int64_t>(argument->value));
  }
  return Get<double>(position, keyword);
}

int64_t Arguments::integer(int position, const char* keyword, int64_t otherwise) const {
  return has(position, keyword) ? integer(position, keyword) : otherwise;
}

double Arguments::number(int position, const char* keyword, double otherwise) const {
  return has(position, keyword) ? number(position, keyword) : otherwise;
}

bool Arguments::boolean(int position, const char* keyword, bool otherwise) const {
  return has(position, keyword) ? Get<bool>(position, keyword) : otherwise;
}

std::string Arguments::text(int position, const char* keyword, const char* otherwise) const {
  return has(position, keyword) ? Get<std::string>(position, keyword) : otherwise;
}

std::optional<double> Arguments::maybe_number(int position, const char* keyword) const {
  if (!has(position, keyword)) return std::nullopt;
  return number(position, keyword);
}

std::vector<int64_t> Arguments::dims(int position, const char* keyword) const {
  if (!has(position, keyword)) return {};
  const Argument& argument = *Find(position, keyword);
  if (std::holds_alternative<int64_t>(argument.value)) return {std::get<int64_t>(argument.value)};
  std::vector<int64_t> list;
  for (const Argument& item : Get<ArgumentList>(position, keyword)) {
    list.push_back(std::get<int64_t>(item.value));
  }
  return list;
}

Tensor Arguments::maybe_tensor(int position, const char* keyword) const {
  return has(position, keyword) ? Get<Tensor>(position, keyword) : Tensor();
}

void Arguments::CheckAllRead() const {
  for (int i = 0; i < size(); ++i) {
    if (!read_.count(absl::StrCat(i))) throw NotMapped(absl::StrCat("argument ", i));
  }
  for (const auto& [keyword, argument] : keywords_) {
    if (!read_.count(keyword)) throw NotMapped(keyword);
  }
}

}  // namespace lemma::torch_ops
