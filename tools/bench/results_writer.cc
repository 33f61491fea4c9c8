#include "tools/bench/results_writer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/bench/table.h"
#include "tools/format.h"

namespace lemma::tools::bench {
namespace {

constexpr char kIntroduction[] =
    R"(# Results

Written by `./bazelw run //tools/bench:results -- --json=FILE,...` from what
`./bazelw run //tools:bench -- --peers --json=FILE` measured, with `--precision=bf16` for products in bfloat16.

A training row is a whole step: forward, backward, clipping, AdamW. `sample-...` writes windows of T tokens with a cache,
one token at a time; `sample-...-past` writes one token past the context, its window computed anew. `add` is one add of 16
elements, on one thread; `-recorded` with its record, `-backward` with its walk back too.

All programs run the same sizes on the same batches with the same number of threads, in turn in one run. Times are medians, the
spread is the distance of the quartiles over the median. *Of limit* is, for training, the model's FLOPs (6 for each weight
of a product and token, 6 L T C a token for causal attention) over the time over the peak of multiply-adds, which products in
AMX tiles can exceed; for sampling with a cache, the bytes of the weights over the time over the bandwidth of a copy.
*Memory* is the peak above the started, idle program, as the system counts it. A ratio is the peer's time over Lemma's.
)";

std::string BestLine(const WorkloadResult& result) {
  const PeerResult* const best = BestPeer(result);
  return best == nullptr ? "-" : absl::StrCat(best->name, " ", best->mode);
}

std::vector<std::vector<std::string>> ShortRows(const Report& report) {
  std::vector<std::vector<std::string>> rows = {
      {"workload", "best peer", "Lemma", "peer", "ratio", "of limit"}};
  for (const WorkloadResult& result : report.workloads) {
    const PeerResult* const best = BestPeer(result);
    rows.push_back({result.name, BestLine(result), FormatMilliseconds(result.median_ms),
                    best == nullptr ? "-" : FormatMilliseconds(best->median_ms),
                    best == nullptr ? "-" : absl::StrFormat("%.2f", best->ratio),
                    result.share_of_peak > 0 ? FormatPercent(result.share_of_peak, 1) : "-"});
  }
  return rows;
}

std::string Versions(const Machine& machine) {
  std::string text;
  for (const auto& [name, version] : machine.versions) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", name, " ", version);
  }
  return text;
}

std::string Section(const Report& report) {
  const Machine& machine = report.machine;
  const std::string precision = report.workloads.empty() ? "" : report.workloads[0].precision;
  const int threads = report.workloads.empty() ? 0 : report.workloads[0].threads;
  std::string text = absl::StrCat("\n## ", precision, ", ", threads,
                                  threads == 1 ? " thread" : " threads", "\n\n");
  for (const char c : FormatMachine(machine))
    text += c == '\n' ? std::string("  \n") : std::string(1, c);
  absl::StrAppend(&text, Versions(machine), "\n\n", FormatMarkdown(ShortRows(report)), "\n",
                  FormatMarkdown(ResultRows(report.workloads)));
  if (!report.kernels.empty()) {
    absl::StrAppend(&text, "\n", FormatMarkdown(KernelRows(report.kernels)));
  }
  if (!report.missing_peers.empty() || !report.notes.empty()) text += "\n";
  for (const std::string& missing : report.missing_peers) {
    absl::StrAppend(&text, "- missing: ", missing, "\n");
  }
  for (const std::string& note : report.notes) absl::StrAppend(&text, "- ", note, "\n");
  return text;
}

}  // namespace

const PeerResult* BestPeer(const WorkloadResult& result) {
  const auto best = std::min_element(
      result.peers.begin(), result.peers.end(),
      [](const PeerResult& a, const PeerResult& b) { return a.median_ms < b.median_ms; });
  return best == result.peers.end() ? nullptr : &*best;
}

std::string ResultsMarkdown(const std::vector<Report>& reports) {
  std::string text = kIntroduction;
  for (const Report& report : reports) text += Section(report);
  return text;
}

}  // namespace lemma::tools::bench
