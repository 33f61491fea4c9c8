// Writes tools/bench/counts.json anew, with what the regression gate is to compare with.
//
//   bazel run //tools/bench:record_counts

#include <cstdint>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nn/atomic_file.h"
#include "tools/bench/instructions.h"
#include "tools/bench/step_counts.h"
#include "tools/flags.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, out, "",
          "file to write (default: tools/bench/counts.json in the workspace)");
ABSL_FLAG(std::string, program, "tools/bench/counted_step", "what callgrind runs");

namespace lemma::tools::bench {
namespace {

absl::StatusOr<std::string> OutputPath() {
  if (IsGiven(FLAGS_out)) return ResolvePath(absl::GetFlag(FLAGS_out));
  return WorkspacePath("tools/bench/counts.json");
}

absl::Status Record() {
  absl::StatusOr<std::string> path = OutputPath();
  if (!path.ok()) return path.status();
  CountTable table;
  for (const std::string& workload : CountedWorkloads()) {
    for (const auto& [name, value] : CountList(CountUnit(workload))) table[workload][name] = value;
  }
  absl::StatusOr<int64_t> instructions = CountInstructions(absl::GetFlag(FLAGS_program), "/tmp");
  if (!instructions.ok()) return instructions.status();
  table["instructions"]["course-b1"] = *instructions;
  return nn::WriteFileAtomically(*path, CountsToJson(table));
}

}  // namespace
}  // namespace lemma::tools::bench

int main(int argc, char** argv) {
  using namespace lemma::tools;
  ParseFlags(argc, argv,
             {.program = "record_counts",
              .summary = "Records what the regression gate of counts compares with.",
              .groups = {{"Files", {"out", "program"}}}});
  return RunMain([] { return ExitStatus(bench::Record()); });
}
