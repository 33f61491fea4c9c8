// The base of tests that run once for each op of the table.
#ifndef LEMMA_TESTS_EVERY_OP_EVERY_OP_H_
#define LEMMA_TESTS_EVERY_OP_EVERY_OP_H_

#include <string>
#include <vector>

#include "autograd/node.h"
#include "autograd/op.h"
#include "gtest/gtest.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {

class EveryOp : public ::testing::TestWithParam<const OpDef*> {
 protected:
  const OpDef& op() const { return *GetParam(); }
  // The op's samples; a failure where there are none.
  std::vector<Sample> Samples() const;
};

// Names a test after its op.
struct OpName {
  std::string operator()(const ::testing::TestParamInfo<const OpDef*>& info) const {
    return info.param->name;
  }
};

bool HasFloat64(const List& inputs);
// Handles of their own, the float ones of which require a gradient.
List LeavesOf(const List& inputs);
// Those that require a gradient.
List Wanted(const List& leaves);
// A call of `op` among those that made the outputs; null if there is none.
const Node* FindNode(const List& outputs, const std::string& op);
// x in another shape, in row-major order, without history.
Tensor Reshaped(const Tensor& x, const Shape& shape);
// Largest |a - b| over the largest |b|, or over 1 where that is greater; infinite where a has a
// NaN that b lacks, or the reverse. An undefined tensor is zero. Any dtypes.
double RelativeError(const Tensor& a, const Tensor& b);
// Outputs, and the gradients of the inputs that take one, for cotangents drawn from `seed`.
struct ValuesAndGradients {
  List outputs, gradients;
};
ValuesAndGradients Evaluate(const Sample& sample, const List& inputs, uint64_t seed);
// All bytes of a tensor's elements in row-major order; "" of an undefined one.
std::string BytesOf(const Tensor& x);

}  // namespace lemma::every_op

#endif  // LEMMA_TESTS_EVERY_OP_EVERY_OP_H_
