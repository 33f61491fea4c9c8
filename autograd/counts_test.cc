#include "autograd/counts.h"

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/tensor.h"
#include "autograd/threads.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

TEST(Counts, ARecordedCallIsANodeAndAPlainOneIsNot) {
  const Tensor a = Ones({16}), b = Ones({16}).SetRequiresGrad(true);
  EngineCounts before = GetEngineCounts();
  const Tensor plain = Add(a, a);
  EXPECT_EQ((GetEngineCounts() - before).recorded_calls, 0);
  const Tensor recorded = Add(Add(a, b), a);
  EXPECT_EQ((GetEngineCounts() - before).recorded_calls, 2);
}

TEST(Counts, StorageIsCountedAndASecondTimeTakenFromTheCache) {
  { const Tensor first = Tensor::Empty({1000}); }
  const EngineCounts before = GetEngineCounts();
  { const Tensor again = Tensor::Empty({1000}); }
  const EngineCounts step = GetEngineCounts() - before;
  EXPECT_EQ(step.allocations, 1);
  EXPECT_EQ(step.system_allocations, 0);
  EXPECT_EQ(step.allocated_bytes, 4000);
}

TEST(Counts, ALargeProductSharesItsWorkAndCreatesItsPrimitivesOnce) {
  SetNumThreads(2);
  const Tensor a = Ones({120, 120});  // for oneDNN on every processor
  const EngineCounts before = GetEngineCounts();
  const Tensor first = MatMul(a, a);
  const EngineCounts between = GetEngineCounts();
  EXPECT_GE((between - before).parallel_regions, 1);
  EXPECT_GE((between - before).primitives, 1);
  const Tensor second = MatMul(a, a);
  EXPECT_EQ((GetEngineCounts() - between).primitives, 0);

  SetNumThreads(1);
  const EngineCounts alone = GetEngineCounts();
  const Tensor third = MatMul(a, a);
  EXPECT_EQ((GetEngineCounts() - alone).parallel_regions, 0);
}

}  // namespace
}  // namespace lemma
