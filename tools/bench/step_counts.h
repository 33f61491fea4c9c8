// Counts of a workload's unit that do not depend on the machine's mood: what the regression gate
// compares with the values in counts.json.
//
//   {"course-b1": {"recorded_calls": 60, "parallel_regions": 150, ...}, ...,
//    "instructions": {"course-b1": 123456789}}
#ifndef LEMMA_TOOLS_BENCH_STEP_COUNTS_H_
#define LEMMA_TOOLS_BENCH_STEP_COUNTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "autograd/counts.h"

namespace lemma::tools::bench {

// The workloads that are counted, all of them quick.
const std::vector<std::string>& CountedWorkloads();

// What one unit of it takes once everything is warm, with two threads and without AMX, which it
// switches off: call it before anything else is computed.
EngineCounts CountUnit(const std::string& workload);

// (name, value) of each count, in a fixed order.
std::vector<std::pair<std::string, int64_t>> CountList(const EngineCounts& counts);

// Name of the workload or "instructions" -> name of the count -> value.
using CountTable = std::map<std::string, std::map<std::string, int64_t>>;

std::string CountsToJson(const CountTable& counts);
absl::StatusOr<CountTable> CountsFromJson(absl::string_view json);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_STEP_COUNTS_H_
