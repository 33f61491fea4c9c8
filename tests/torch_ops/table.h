// The table of PyTorch's operators: the call of this library that each stands for, and what is left
// out of the comparison, with its reason.
#ifndef LEMMA_TESTS_TORCH_OPS_TABLE_H_
#define LEMMA_TESTS_TORCH_OPS_TABLE_H_

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/tensor.h"
#include "tests/torch_ops/arguments.h"

namespace lemma::torch_ops {

struct Operator {
  const char* name;
  std::vector<Tensor> (*call)(const Arguments&);
};

// Every operator that has a counterpart here.
absl::Span<const Operator> Operators();
// Null where there is none.
const Operator* FindOperator(const std::string& name);

// kInFloat32: a sample that is compared in float64 alone.
enum class What { kOperator, kSample, kInFloat32, kRefused };

struct LeftOut {
  What what;
  const char* op;  // as in the file of samples
  int index;       // of the sample or the refused call; -1 for a whole operator
  const char* reason;
};

absl::Span<const LeftOut> AllLeftOut();
// Null where it is not left out.
const LeftOut* FindLeftOut(What what, const std::string& op, int index = -1);

}  // namespace lemma::torch_ops

#endif  // LEMMA_TESTS_TORCH_OPS_TABLE_H_
