// The regression gate: what a unit takes may not grow beyond what counts.json has. Where it was
// made to shrink, or has to grow, `bazel run //tools/bench:record_counts` writes the file anew.
#include "tools/bench/step_counts.h"

#include <cstdint>
#include <iostream>
#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tools/bench/recorded_counts.h"

namespace lemma::tools::bench {
namespace {

TEST(StepCounts, NoUnitTakesMoreThanIsRecorded) {
  for (const std::string& workload : CountedWorkloads()) {
    for (const auto& [name, value] : CountList(CountUnit(workload))) {
      const int64_t recorded = RecordedValue(workload, name);
      EXPECT_LE(value, recorded) << name << " of " << workload;
      if (value < recorded) {
        std::cout << name << " of " << workload << " fell from " << recorded << " to " << value
                  << "; record it\n";
      }
    }
  }
}

TEST(StepCounts, ASteadyUnitTakesNothingFromTheSystemAndCreatesNoPrimitive) {
  for (const std::string& workload : CountedWorkloads()) {
    EXPECT_EQ(RecordedValue(workload, "system_allocations"), 0) << workload;
    EXPECT_EQ(RecordedValue(workload, "primitives"), 0) << workload;
  }
}

TEST(StepCounts, JsonComesBackAsItWas) {
  const CountTable table = {{"a", {{"x", 1}, {"y", int64_t{1} << 40}}}, {"b", {}}};
  const absl::StatusOr<CountTable> read = CountsFromJson(CountsToJson(table));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, table);
  for (const char* text : {"", "[1]", "{\"a\": 1}", "{\"a\": {\"x\": \"y\"}}"}) {
    EXPECT_FALSE(CountsFromJson(text).ok()) << text;
  }
}

}  // namespace
}  // namespace lemma::tools::bench
