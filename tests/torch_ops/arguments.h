// The arguments of a call of a PyTorch operator, and how the table of operators reads them.
//
//   // torch.sum(x, dim=None, keepdim=False)
//   Sum(a.tensor(0), a.dims(1, "dim"), a.boolean(2, "keepdim", false));
//
// An argument is found by its position or its keyword. What is read is noted: a call whose
// arguments are not all read means something that its mapping doesn't know.
#ifndef LEMMA_TESTS_TORCH_OPS_ARGUMENTS_H_
#define LEMMA_TESTS_TORCH_OPS_ARGUMENTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "autograd/tensor.h"

namespace lemma::torch_ops {

// Thrown where a call has no counterpart in this library.
class NotMapped : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Argument;
using ArgumentList = std::vector<Argument>;

// None, True, 2, 0.5, "mean", a tensor, a list of these.
struct Argument {
  std::variant<std::monostate, bool, int64_t, double, std::string, Tensor, ArgumentList> value;
};

class Arguments {
 public:
  Arguments() = default;
  Arguments(ArgumentList positional, std::map<std::string, Argument> keywords)
      : positional_(std::move(positional)), keywords_(std::move(keywords)) {}

  int size() const { return static_cast<int>(positional_.size()); }
  // Whether it is given and not None.
  bool has(int position, const char* keyword = "") const;
  bool is_tensor(int position) const;
  bool is_boolean(int position) const;

  // Each throws NotMapped for an argument that is missing or of another kind.
  Tensor tensor(int position) const;
  std::vector<Tensor> tensors(int position) const;
  int64_t integer(int position, const char* keyword = "") const;
  double number(int position, const char* keyword = "") const;

  // With a value for an argument that is missing or None.
  int64_t integer(int position, const char* keyword, int64_t otherwise) const;
  double number(int position, const char* keyword, double otherwise) const;
  bool boolean(int position, const char* keyword, bool otherwise) const;
  std::string text(int position, const char* keyword, const char* otherwise) const;
  std::optional<double> maybe_number(int position, const char* keyword) const;
  // One or several; none for a missing one.
  std::vector<int64_t> dims(int position, const char* keyword) const;
  Tensor maybe_tensor(int position, const char* keyword = "") const;

  // Throws NotMapped where an argument was not read.
  void CheckAllRead() const;

 private:
  const Argument* Find(int position, const char* keyword) const;
  template <typename T>
  const T& Get(int position, const char* keyword) const;

  ArgumentList positional_;
  std::map<std::string, Argument> keywords_;
  mutable std::set<std::string> read_;
};

}  // namespace lemma::torch_ops

#endif  // LEMMA_TESTS_TORCH_OPS_ARGUMENTS_H_
