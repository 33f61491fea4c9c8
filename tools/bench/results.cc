// Writes tools/bench/RESULTS.md from the results of `bench --json`.
//
//   bazel run //tools/bench:results -- --json=f32.json,bf16.json

#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "datasets/text_dataset.h"
#include "nn/atomic_file.h"
#include "tools/bench/report.h"
#include "tools/bench/results_writer.h"
#include "tools/flags.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, json, "", "files of results, with commas");
ABSL_FLAG(std::string, out, "", "file to write (default: tools/bench/RESULTS.md in the workspace)");

namespace lemma::tools::bench {
namespace {

absl::StatusOr<std::string> OutputPath() {
  if (IsGiven(FLAGS_out)) return ResolvePath(absl::GetFlag(FLAGS_out));
  return WorkspacePath("tools/bench/RESULTS.md");
}

absl::Status Write() {
  RequireNotEmpty(FLAGS_out, "a file to write");
  if (absl::GetFlag(FLAGS_json).empty()) {
    return absl::InvalidArgumentError("--json=FILE names the results of `bench --json=FILE`");
  }
  std::vector<Report> reports;
  for (const absl::string_view name : absl::StrSplit(absl::GetFlag(FLAGS_json), ',')) {
    const std::string path = ResolvePath(std::string(name));
    absl::StatusOr<std::string> text = datasets::ReadTextFile(path);
    if (!text.ok()) return text.status();
    absl::StatusOr<Report> report = ReportFromJson(*text);
    if (!report.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(DisplayPath(path), ": ", report.status().message()));
    }
    reports.push_back(*std::move(report));
  }
  absl::StatusOr<std::string> out = OutputPath();
  if (!out.ok()) return out.status();
  return nn::WriteFileAtomically(*out, ResultsMarkdown(reports));
}

}  // namespace
}  // namespace lemma::tools::bench

int main(int argc, char** argv) {
  using namespace lemma::tools;
  ParseFlags(argc, argv,
             {.program = "results",
              .summary = "Writes RESULTS.md from the results of the benchmark.",
              .groups = {{"Files", {"json", "out"}}}});
  return RunMain([] { return ExitStatus(bench::Write()); });
}
