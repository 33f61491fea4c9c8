#include "tools/bench/session.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/bench/batch_file.h"
#include "tools/bench/batches.h"
#include "tools/bench/child.h"
#include "tools/bench/clock.h"
#include "tools/bench/contestant.h"
#include "tools/bench/kernel_runs.h"
#include "tools/bench/limits.h"
#include "tools/bench/machine.h"
#include "tools/bench/statistics.h"
#include "tools/bench/table.h"
#include "tools/format.h"

namespace lemma::tools::bench {
namespace {

// A file in memory that children open by its path; nothing is left behind, however the run ends.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("batches", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return absl::StrCat("/proc/", getpid(), "/fd/", descriptor_); }

 private:
  const int descriptor_;
};

// One variable sets the threads of all; what steers OpenBLAS on some machines is not for peers.
ChildEnvironment PeerEnvironment(int threads) {
  return {.set = {{"OMP_NUM_THREADS", absl::StrCat(threads)}},
          .unset = {"OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"}};
}

class Session {
 public:
  Session(const SessionOptions& options, StatusLine* line) : options_(options), line_(*line) {}

  absl::StatusOr<Report> Go() {
    report_.machine = {
        .cpu = ProcessorName(), .cores = AvailableProcessors(), .versions = Versions()};
    MeasureMachine();
    line_.Print(FormatMachine(report_.machine));
    if (absl::Status status = FindTheText(); !status.ok()) return status;
    if (options_.recompute) Note("Lemma computes blocks anew in the backward, its peers do not");
    for (size_t i = 0; i < options_.workloads.size(); ++i) {
      title_ = absl::StrCat(options_.workloads[i].name, " (", i + 1, " of ",
                            options_.workloads.size(), ")");
      if (absl::Status status = Race(options_.workloads[i]); !status.ok()) return status;
    }
    if (!options_.kernels.empty()) {
      line_.Show("kernels: starting", true);
      report_.kernels =
          RunKernels(options_.kernels, options_.threads, [this](const std::string& name) {
            line_.Show(absl::StrCat("kernels: done with ", name));
          });
    }
    if (options_.race.rounds > 1) MeasureMachine();
    SetShares(report_);
    return std::move(report_);
  }

 private:
  // Before and after the races: the larger of what was seen.
  void MeasureMachine() {
    line_.Show("measuring what the machine can do at most", true);
    const int tries = static_cast<int>(std::min<int64_t>(2 * options_.race.rounds - 1, 7));
    report_.machine.limits = Best(report_.machine.limits, MeasureLimits(options_.threads, tries));
  }

  absl::Status FindTheText() {
    if (std::none_of(options_.workloads.begin(), options_.workloads.end(), TakesText)) {
      return absl::OkStatus();
    }
    absl::StatusOr<BenchText> text = FindText(options_.data_dir);
    if (!text.ok()) return text.status();
    text_ = *std::move(text);
    report_.notes.push_back(absl::StrCat("models of characters train on ", text_.name));
    return absl::OkStatus();
  }

  // A program that takes part, by the name that messages have for it.
  struct Entry {
    std::string label;
    std::unique_ptr<Contestant> contestant;
  };

  Task TaskOf(const Workload& workload) const {
    Task task{.workload = workload, .precision = options_.precision, .threads = options_.threads};
    task.recompute = options_.recompute && workload.kind == WorkloadKind::kTrain;
    if (workload.kind == WorkloadKind::kSmallOp) {
      task.threads = 1;
      task.precision = Precision::kFloat32;
    }
    return task;
  }

  absl::Status WriteBatchesOf(const Workload& workload, const std::string& path) {
    if (!TakesText(workload)) {
      Note(absl::StrCat(workload.name, " trains on tokens drawn from a seeded source over its ",
                        FormatCount(workload.model.vocab), " symbols"));
    }
    absl::StatusOr<std::vector<datasets::Batch>> made = MakeBatches(workload, text_);
    return made.ok() ? WriteBatches(path, *made) : made.status();
  }

  // Starts this program and then the peers that can do the workload.
  absl::StatusOr<std::vector<Entry>> StartPrograms(const Task& task) {
    std::vector<Entry> entries;
    absl::StatusOr<std::unique_ptr<Contestant>> ours = WorkerContestant::Start(
        options_.own_command, {.set = {{"OMP_NUM_THREADS", absl::StrCat(task.threads)}}}, waiting_);
    if (!ours.ok()) return ours.status();
    entries.push_back({"Lemma", *std::move(ours)});
    for (const PeerProgram& peer : options_.peers) {
      if (!TakesPart(peer, task.workload.kind)) continue;
      absl::StatusOr<std::unique_ptr<Contestant>> started =
          WorkerContestant::Start(peer.command, PeerEnvironment(task.threads), waiting_);
      if (started.ok()) {
        entries.push_back({peer.label, *std::move(started)});
      } else {
        Drop(peer.label, task.workload, started.status());
      }
    }
    return entries;
  }

  absl::Status Race(const Workload& workload) {
    Task task = TaskOf(workload);
    const MemoryFile batches;
    if (workload.kind == WorkloadKind::kTrain) {
      task.batches = batches.path();
      if (absl::Status status = WriteBatchesOf(workload, task.batches); !status.ok()) return status;
    }
    absl::StatusOr<std::vector<Entry>> entries = StartPrograms(task);
    if (!entries.ok()) return entries.status();
    std::vector<Contestant*> contestants;
    for (const Entry& entry : *entries) contestants.push_back(entry.contestant.get());

    started_ = NowSeconds();
    const std::vector<RaceResult> race =
        RunRace(contestants, task, options_.race, [this](const std::string& text) {
          doing_ = text;
          ShowProgress();
        });
    for (size_t i = 0; i < race.size(); ++i) {
      if (race[i].status.ok()) continue;
      if (i == 0) {
        return absl::UnavailableError(absl::StrCat(workload.name, ": ", race[i].status.message()));
      }
      Drop((*entries)[i].label, workload, race[i].status);
    }
    report_.workloads.push_back(MakeResult(task, race));
    PrintResult(report_.workloads.back(), race);
    return absl::OkStatus();
  }

  void Drop(const std::string& label, const Workload& workload, const absl::Status& status) {
    report_.missing_peers.push_back(
        absl::StrCat(label, " in ", workload.name, ": ", status.message()));
    line_.Print(absl::StrCat("missing: ", report_.missing_peers.back()));
  }

  void Note(const std::string& note) {
    report_.notes.push_back(note);
    line_.Print(absl::StrCat("note: ", note));
  }

  void PrintResult(const WorkloadResult& result, const std::vector<RaceResult>& race) {
    std::string text =
        absl::StrFormat("%-18s %s", result.name, FormatMilliseconds(result.median_ms));
    if (result.loss != 0) absl::StrAppend(&text, absl::StrFormat(" (loss %.3f)", result.loss));
    for (size_t i = 1; i < race.size(); ++i) {
      if (!race[i].status.ok()) continue;
      absl::StrAppend(&text, "; ", race[i].info.name, " ", race[i].info.mode, " ",
                      FormatMilliseconds(Median(race[i].unit_ms)));
      if (race[i].loss != 0) absl::StrAppend(&text, absl::StrFormat(" (loss %.3f)", race[i].loss));
    }
    line_.Print(text);
  }

  void ShowProgress() {
    line_.Show(absl::StrCat(title_, ": ", doing_, ", ", FormatDuration(NowSeconds() - started_)));
  }

  const SessionOptions& options_;
  StatusLine& line_;
  Report report_;
  BenchText text_;
  std::string title_, doing_;
  double started_ = 0;
  const std::function<void()> waiting_ = [this] { ShowProgress(); };
};

}  // namespace

absl::StatusOr<Report> RunSession(const SessionOptions& options, StatusLine* line) {
  return Session(options, line).Go();
}

}  // namespace lemma::tools::bench
