// Every op in float32, where the fast kernels run, and in bfloat16, against float64.

#include "autograd/ops/registry.h"
#include "gtest/gtest.h"
#include "tests/every_op/every_op.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

class DTypes : public EveryOp {
 protected:
  // The sample in `dtype` against float64, both on inputs that `dtype` holds exactly.
  void CheckAgainstFloat64(const Sample& sample, DType dtype, double tolerance) {
    const List inputs = InputsAs(sample, dtype);
    List exact;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Tensor& x = sample.inputs[i];
      const bool converted = x.defined() && x.dtype() == DType::kFloat64;
      exact.push_back(converted ? CastKeepingStrides(inputs[i], DType::kFloat64) : x);
    }
    const ValuesAndGradients expected = Evaluate(sample, exact, 61);
    const ValuesAndGradients actual = Evaluate(sample, inputs, 61);
    ASSERT_EQ(actual.outputs.size(), expected.outputs.size());
    for (size_t i = 0; i < actual.outputs.size(); ++i) {
      EXPECT_EQ(actual.outputs[i].shape(), expected.outputs[i].shape());
      EXPECT_LE(RelativeError(actual.outputs[i], expected.outputs[i]), tolerance)
          << Name(dtype) << ", output " << i;
    }
    ASSERT_EQ(actual.gradients.size(), expected.gradients.size());
    for (size_t i = 0; i < actual.gradients.size(); ++i) {
      EXPECT_LE(RelativeError(actual.gradients[i], expected.gradients[i]), tolerance)
          << Name(dtype) << ", gradient " << i;
    }
  }
};

TEST_P(DTypes, Float32AgreesWithFloat64) {
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.name);
    CheckAgainstFloat64(sample, DType::kFloat32, sample.float32_tolerance);
  }
}

TEST_P(DTypes, BFloat16AgreesWithFloat64) {
  for (const Sample& sample : Samples()) {
    if (!sample.has_bfloat16) continue;
    SCOPED_TRACE(sample.name);
    CheckAgainstFloat64(sample, DType::kBFloat16, sample.bfloat16_tolerance);
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, DTypes, ::testing::ValuesIn(AllOps()), OpName());

}  // namespace
}  // namespace lemma::every_op
