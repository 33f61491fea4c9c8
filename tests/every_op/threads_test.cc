// Values and gradients of every op have the same bits for any number of threads.

#include "autograd/threads.h"

#include "autograd/ops/registry.h"
#include "gtest/gtest.h"
#include "tests/every_op/every_op.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

class Threads : public EveryOp {
 protected:
  void TearDown() override { SetNumThreads(before_); }

 private:
  const int before_ = NumThreads();
};

std::vector<std::string> AllBytes(const ValuesAndGradients& result) {
  std::vector<std::string> bytes;
  for (const Tensor& x : result.outputs) bytes.push_back(BytesOf(x));
  for (const Tensor& x : result.gradients) bytes.push_back(BytesOf(x));
  return bytes;
}

TEST_P(Threads, DoNotChangeABit) {
  for (const Sample& sample : Samples()) {
    if (!sample.large) continue;  // one thread's work for any number of threads
    SCOPED_TRACE(sample.name);
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const List inputs = InputsAs(sample, dtype);
      SetNumThreads(1);
      const std::vector<std::string> one = AllBytes(Evaluate(sample, inputs, 71));
      for (const int threads : {2, 3}) {
        SetNumThreads(threads);
        const std::vector<std::string> more = AllBytes(Evaluate(sample, inputs, 71));
        ASSERT_EQ(more.size(), one.size());
        for (size_t i = 0; i < one.size(); ++i) {
          EXPECT_TRUE(more[i] == one[i])
              << threads << " threads, " << Name(dtype) << ", tensor " << i;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Threads, ::testing::ValuesIn(AllOps()), OpName());

}  // namespace
}  // namespace lemma::every_op
