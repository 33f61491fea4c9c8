// The values that the regression gate's tests compare with: counts.json.
#ifndef LEMMA_TOOLS_BENCH_RECORDED_COUNTS_H_
#define LEMMA_TOOLS_BENCH_RECORDED_COUNTS_H_

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tools/bench/step_counts.h"

namespace lemma::tools::bench {

// Whether a sanitizer is at work, under which valgrind can't run and other instructions do.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// The path of a file among the test's data.
inline std::string DataPath(const std::string& path) {
  return std::string(std::getenv("TEST_SRCDIR")) + "/" + std::getenv("TEST_WORKSPACE") + "/" + path;
}

// The recorded value of a count; fails the test where there is none.
inline int64_t RecordedValue(const std::string& row, const std::string& name) {
  std::ifstream file(DataPath("tools/bench/counts.json"));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const absl::StatusOr<CountTable> table = CountsFromJson(text);
  if (!table.ok() || table->count(row) == 0 || table->at(row).count(name) == 0) {
    ADD_FAILURE() << "counts.json has no " << name << " of " << row << " " << table.status();
    return 0;
  }
  return table->at(row).at(name);
}

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_RECORDED_COUNTS_H_
