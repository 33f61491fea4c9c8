#include "tools/bench/table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tools/format.h"

namespace lemma::tools::bench {
namespace {

constexpr size_t kLeftColumns = 2;

// Three digits, or all of those before the point.
std::string ThreeDigits(double value) {
  if (value < 9.995) return absl::StrFormat("%.2f", value);
  if (value < 99.95) return absl::StrFormat("%.1f", value);
  return FormatCount(std::llround(value));
}

std::string TokensPerSecond(double value) { return value > 0 ? ThreeDigits(value) : "-"; }

std::string Percent(double share) { return share > 0 ? FormatPercent(share, 1) : "-"; }

std::string Peer(const PeerResult& peer) {
  return absl::StrCat(peer.name, " ", peer.version, peer.mode.empty() ? "" : " ", peer.mode);
}

std::string Memory(int64_t bytes) {
  return FormatBytes(static_cast<uint64_t>(std::max<int64_t>(bytes, 0)));
}

}  // namespace

std::string FormatMilliseconds(double ms) {
  if (ms < 1e-3) return absl::StrCat(ThreeDigits(1e6 * ms), " ns");
  if (ms < 1) return absl::StrCat(ThreeDigits(1e3 * ms), " us");
  return absl::StrCat(ThreeDigits(ms), " ms");
}

std::string FormatMachine(const Machine& machine) {
  const Limits& limits = machine.limits;
  std::string text = absl::StrCat(machine.cpu, ", ", machine.cores,
                                  machine.cores == 1 ? " processor\n" : " processors\n",
                                  "limits: f32 FMA ", ThreeDigits(limits.f32_gflops), " GFLOP/s, ");
  absl::StrAppend(&text, limits.bf16_gflops > 0
                             ? absl::StrCat("bf16 ", ThreeDigits(limits.bf16_gflops), " GFLOP/s, ")
                             : "no bf16 in hardware, ");
  absl::StrAppend(&text, "copy ", ThreeDigits(limits.copy_gb_s), " GB/s\n");
  return text;
}

std::string FormatColumns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      absl::StrAppend(&line, i == 0 ? "" : "  ", i < kLeftColumns ? "" : padding, row[i],
                      i < kLeftColumns ? padding : "");
    }
    absl::StrAppend(&text, line.substr(0, line.find_last_not_of(' ') + 1), "\n");
  }
  return text;
}

std::string FormatMarkdown(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    absl::StrAppend(&text, "| ", absl::StrJoin(rows[r], " | "), " |\n");
    if (r > 0) continue;
    for (size_t i = 0; i < rows[r].size(); ++i) {
      absl::StrAppend(&text, i < kLeftColumns ? "| --- " : "| ---: ");
    }
    absl::StrAppend(&text, "|\n");
  }
  return text;
}

std::vector<std::vector<std::string>> ResultRows(const std::vector<WorkloadResult>& results) {
  std::vector<std::vector<std::string>> rows = {
      {"workload", "program", "time", "spread", "tokens/s", "of limit", "memory", "ratio"}};
  for (const WorkloadResult& result : results) {
    rows.push_back({result.name, absl::StrCat("Lemma ", result.precision),
                    FormatMilliseconds(result.median_ms), Percent(result.spread),
                    TokensPerSecond(result.tokens_per_s), Percent(result.share_of_peak),
                    Memory(result.peak_bytes), ""});
    for (const PeerResult& peer : result.peers) {
      const double share =
          result.median_ms > 0 && peer.ratio > 0 ? result.share_of_peak / peer.ratio : 0;
      rows.push_back({"", Peer(peer), FormatMilliseconds(peer.median_ms), Percent(peer.spread),
                      TokensPerSecond(peer.tokens_per_s), Percent(share), Memory(peer.peak_bytes),
                      absl::StrFormat("%.2f", peer.ratio)});
    }
  }
  return rows;
}

std::vector<std::vector<std::string>> KernelRows(const std::vector<KernelResult>& kernels) {
  std::vector<std::vector<std::string>> rows = {
      {"kernel", "limit", "time", "spread", "rate", "of limit"}};
  for (const KernelResult& kernel : kernels) {
    const bool counts_flops = kernel.gflops > 0;
    rows.push_back({kernel.name,
                    counts_flops      ? "FMA"
                    : kernel.gb_s > 0 ? "copy"
                                      : "-",
                    FormatMilliseconds(kernel.median_ms), Percent(kernel.spread),
                    counts_flops      ? absl::StrCat(ThreeDigits(kernel.gflops), " GFLOP/s")
                    : kernel.gb_s > 0 ? absl::StrCat(ThreeDigits(kernel.gb_s), " GB/s")
                                      : "-",
                    Percent(kernel.share_of_peak)});
  }
  return rows;
}

}  // namespace lemma::tools::bench
