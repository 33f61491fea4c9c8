// Measures training steps, sampling, small ops and kernels, beside the machine's limits and, where
// they are installed, other libraries.
//
//   bazel run //tools/bench
//   bazel run //tools/bench -- --workloads=course-b12,sample-course --peers --json=bench.json
//   bazel run //tools/bench -- --kernels

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "autograd/ops/mixed_linear.h"
#include "autograd/threads.h"
#include "nn/atomic_file.h"
#include "tools/bench/kernel_runs.h"
#include "tools/bench/peers.h"
#include "tools/bench/precision.h"
#include "tools/bench/report.h"
#include "tools/bench/session.h"
#include "tools/bench/table.h"
#include "tools/bench/worker.h"
#include "tools/bench/workload.h"
#include "tools/flags.h"
#include "tools/paths.h"
#include "tools/status_line.h"

ABSL_FLAG(std::string, workloads, "", "which to run, by name, with commas (default: all)");
ABSL_FLAG(std::string, precision, "f32", "f32, or bf16: products in bfloat16");
ABSL_FLAG(bool, recompute, false,
          "compute blocks anew in the backward, for less memory; peers keep their activations");
ABSL_FLAG(int32_t, threads, 0, "0: all physical cores, or OMP_NUM_THREADS; the same for peers");
ABSL_FLAG(int64_t, repeats, 5, "rounds in which the programs take turns");
ABSL_FLAG(double, seconds, 5,
          "that each program measures of each workload, at least one unit a round");
ABSL_FLAG(bool, peers, false, "measure PyTorch and JAX too, in turn with Lemma");
ABSL_FLAG(std::string, peers_dir, "",
          "their virtual environment, as install_peers.sh makes it (default: $LEMMA_PEERS, else "
          "~/.cache/lemma-peers)");
ABSL_FLAG(bool, kernels, false,
          "measure the kernels on the shapes of these models; without --workloads, only them");
ABSL_FLAG(std::string, kernel_filter, lemma::tools::bench::kAllKernels,
          "which kernels: a regular expression of their names, after a '-' of those to leave out");
ABSL_FLAG(std::string, json, "", "file for the results");
ABSL_FLAG(std::string, data_dir, "",
          "folder of the data sets (default: $LEMMA_DATA, else the user's cache folder)");
ABSL_FLAG(bool, worker, false, "do what lines on the standard input say; bench starts itself so");

namespace lemma::tools::bench {
namespace {

absl::StatusOr<std::vector<Workload>> ChosenWorkloads() {
  const std::string flag = absl::GetFlag(FLAGS_workloads);
  if (flag.empty()) {
    return absl::GetFlag(FLAGS_kernels) ? std::vector<Workload>() : Workloads();
  }
  std::vector<Workload> chosen;
  for (const absl::string_view name : absl::StrSplit(flag, ',')) {
    if (name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--workloads=", flag,
                       " has an empty name between its commas; write it as course-b12,add"));
    }
    const Workload* const workload = FindWorkload(name);
    if (workload == nullptr) {
      return absl::InvalidArgumentError(UnknownValueText("workloads", name, WorkloadNames()));
    }
    chosen.push_back(*workload);
  }
  return chosen;
}

std::string OwnProgram() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

std::string PeersFolder() {
  if (IsGiven(FLAGS_peers_dir)) return ResolvePath(absl::GetFlag(FLAGS_peers_dir));
  const char* const folder = std::getenv("LEMMA_PEERS");
  return ResolvePath(folder != nullptr && *folder != '\0' ? folder : "~/.cache/lemma-peers");
}

// The folder of the peers' programs, among the files that Bazel lays beside this one.
std::string ScriptsFolder(const std::string& argv0) {
  constexpr char kFolder[] = "tools/bench";
  for (const std::string& root : {std::string("."), absl::StrCat(argv0, ".runfiles/lemma"),
                                  absl::StrCat(OwnProgram(), ".runfiles/lemma")}) {
    const std::filesystem::path folder = std::filesystem::path(root) / kFolder;
    std::error_code error;
    if (std::filesystem::exists(folder / "peer_torch.py", error)) {
      return std::filesystem::absolute(folder, error).string();
    }
  }
  return kFolder;
}

absl::StatusOr<Precision> ChosenPrecision() {
  RequireOneOf(FLAGS_precision, {"f32", "bf16"});
  return ParsePrecision(absl::GetFlag(FLAGS_precision));
}

void PrintReport(const Report& report, int threads) {
  std::printf("\n%s%d thread%s; medians; memory above that of the idle program\n",
              FormatMachine(report.machine).c_str(), threads, threads == 1 ? "" : "s");
  if (!report.workloads.empty()) {
    std::printf("\n%s", FormatColumns(ResultRows(report.workloads)).c_str());
  }
  if (!report.kernels.empty()) {
    std::printf("\n%s", FormatColumns(KernelRows(report.kernels)).c_str());
  }
}

// Whether the results can be written, asked before they are measured.
absl::Status CheckWritable(const std::string& json) {
  if (json.empty()) return absl::OkStatus();
  return nn::AtomicFile::Open(json).status();  // gone again without a trace
}

absl::Status Measure(const std::string& argv0) {
  absl::StatusOr<std::vector<Workload>> workloads = ChosenWorkloads();
  if (!workloads.ok()) return workloads.status();
  absl::StatusOr<Precision> precision = ChosenPrecision();
  if (!precision.ok()) return precision.status();
  SessionOptions options{.workloads = *std::move(workloads), .precision = *precision};
  if (*precision == Precision::kBFloat16 && !HasFastBFloat16()) {
    std::printf("this processor has no fast products of bfloat16; measuring float32\n");
    options.precision = Precision::kFloat32;
  }
  const int threads = absl::GetFlag(FLAGS_threads);
  options.threads = threads > 0 ? threads : NumThreads();
  options.recompute = absl::GetFlag(FLAGS_recompute);
  options.race.rounds = absl::GetFlag(FLAGS_repeats);
  options.race.seconds = absl::GetFlag(FLAGS_seconds);
  options.data_dir = ResolvePath(absl::GetFlag(FLAGS_data_dir));
  options.own_command = {OwnProgram(), "--worker"};

  if (absl::GetFlag(FLAGS_kernels)) options.kernels = absl::GetFlag(FLAGS_kernel_filter);

  PeerSearch search;
  if (absl::GetFlag(FLAGS_peers)) {
    search = FindPeers(PeersFolder(), ScriptsFolder(argv0), options.precision);
    for (const std::string& missing : search.missing) {
      std::printf("missing: %s\n", missing.c_str());
    }
    options.peers = search.found;
  }
  const std::string json = ResolvePath(absl::GetFlag(FLAGS_json));
  if (absl::Status writable = CheckWritable(json); !writable.ok()) return writable;
  StatusLine line(StatusLineOptions::ForStdout());
  absl::StatusOr<Report> report = RunSession(options, &line);
  line.Finish();
  if (!report.ok()) return report.status();
  report->missing_peers.insert(report->missing_peers.begin(), search.missing.begin(),
                               search.missing.end());
  PrintReport(*report, options.threads);
  if (json.empty()) return absl::OkStatus();
  return nn::WriteFileAtomically(json, ReportToJson(*report));
}

}  // namespace
}  // namespace lemma::tools::bench

int main(int argc, char** argv) {
  using namespace lemma::tools;
  using namespace lemma::tools::bench;
  ParseFlags(argc, argv,
             {.program = "bench",
              .summary = absl::StrCat(
                  "Measures training steps, sampling and small ops beside the machine's limits.\n\n"
                  "Workloads: ",
                  absl::StrJoin(WorkloadNames(), ", ")),
              .groups = {{"What",
                          {"workloads", "precision", "recompute", "threads", "peers", "peers_dir",
                           "kernels", "kernel_filter"}},
                         {"How long", {"repeats", "seconds"}},
                         {"Files", {"json", "data_dir"}}}});
  RequireInRange(FLAGS_threads, 0, 4096);
  RequireAtLeast(FLAGS_repeats, 1);
  RequirePositive(FLAGS_seconds);
  RequireNotEmpty(FLAGS_json, "a file for the results");
  return RunMain([argv] {
    if (!absl::GetFlag(FLAGS_worker)) return ExitStatus(Measure(argv[0]));
    ServeRequests(std::cin, std::cout);
    return 0;
  });
}
