// Named tensors: what goes into an exercise's function and what comes out, and their bytes on a
// pipe.
//
//   Values inputs;
//   inputs.Add("x", x).Add("H", 3);
//   inputs["x"].shape();
//   absl::StatusOr<Values> same = Decode(Encode(inputs));
#ifndef LEMMA_TOOLS_GRADING_VALUES_H_
#define LEMMA_TOOLS_GRADING_VALUES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "autograd/tensor.h"

namespace lemma::tools::grading {

struct Value {
  std::string name;
  Tensor tensor;
};

class Values {
 public:
  Values& Add(std::string name, Tensor tensor);
  // Scalars: int64 and float64.
  Values& Add(std::string name, int64_t number);
  Values& Add(std::string name, double number);

  // Throws Error where there is none of this name, or it is no scalar.
  const Tensor& operator[](absl::string_view name) const;
  int64_t Int(absl::string_view name) const;
  double Number(absl::string_view name) const;
  // Null where there is none.
  const Tensor* Find(absl::string_view name) const;

  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  size_t size() const { return values_.size(); }

 private:
  std::vector<Value> values_;
};

// Little endian, elements in row-major order.
std::string Encode(const Values& values);
// The tensors have memory of their own. An error for any bytes that Encode does not make.
absl::StatusOr<Values> Decode(absl::string_view bytes);

// Every tensor with elements of its own, so that writing to one changes no other.
Values DeepCopy(const Values& values);
// Floats of float32 in float64, the rest as it is.
Values InDouble(const Values& values);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_VALUES_H_
