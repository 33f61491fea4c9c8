// The regression gate of instructions; see step_counts_test.cc.
#include "tools/bench/instructions.h"

#include <cstdint>
#include <iostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tools/bench/recorded_counts.h"

namespace lemma::tools::bench {
namespace {

TEST(Instructions, AStepOnOneThreadTakesThoseRecorded) {
  if (kSanitized) GTEST_SKIP() << "instructions of a sanitizer are counted otherwise";
  const absl::StatusOr<int64_t> instructions =
      CountInstructions(DataPath("tools/bench/counted_step"), testing::TempDir());
  if (absl::IsNotFound(instructions.status())) GTEST_SKIP() << instructions.status().message();
  ASSERT_TRUE(instructions.ok()) << instructions.status();
  const int64_t recorded = RecordedValue("instructions", "course-b1");
  std::cout << *instructions << " instructions, recorded are " << recorded << "\n";
  // Libraries choose their code for the sizes of caches too, so processors differ a little.
  EXPECT_LE(static_cast<double>(*instructions), 1.03 * static_cast<double>(recorded));
}

TEST(Instructions, AProgramWithoutTheStepIsAnError) {
  const absl::StatusOr<int64_t> instructions = CountInstructions("true", testing::TempDir());
  if (absl::IsNotFound(instructions.status())) GTEST_SKIP() << instructions.status().message();
  EXPECT_TRUE(absl::IsDataLoss(instructions.status())) << instructions.status();
  EXPECT_FALSE(CountInstructions("false", testing::TempDir()).ok());
}

}  // namespace
}  // namespace lemma::tools::bench
