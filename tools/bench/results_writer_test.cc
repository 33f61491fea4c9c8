#include "tools/bench/results_writer.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

PeerResult Peer(const char* mode, double median_ms) {
  return {.name = "PyTorch",
          .version = "2.15.0",
          .mode = mode,
          .median_ms = median_ms,
          .spread = 0.01,
          .tokens_per_s = 64000 / median_ms,
          .peak_bytes = 200 << 20,
          .ratio = median_ms / 4};
}

Report SampleReport() {
  Report report;
  report.machine = {.cpu = "A processor",
                    .cores = 2,
                    .limits = {.f32_gflops = 234, .bf16_gflops = 456, .copy_gb_s = 45},
                    .versions = {{"oneDNN", "2.6.3"}, {"compiler", "12.2.0"}}};
  WorkloadResult result{.name = "course-b1",
                        .precision = "f32",
                        .threads = 2,
                        .median_ms = 4,
                        .spread = 0.02,
                        .tokens_per_s = 16000,
                        .share_of_peak = 0.34,
                        .peak_bytes = 40 << 20};
  result.peers = {Peer("eager", 8), Peer("compiled", 6)};
  report.workloads = {result};
  report.missing_peers = {"JAX: not installed"};
  report.notes = {"models of characters train on plays"};
  return report;
}

TEST(ResultsWriter, TheBestPeerIsTheFastest) {
  EXPECT_EQ(BestPeer(SampleReport().workloads[0])->mode, "compiled");
  EXPECT_EQ(BestPeer({}), nullptr);
}

TEST(ResultsWriter, TellsMachineTablesAndWhatIsMissing) {
  const std::string text = ResultsMarkdown({SampleReport()});
  EXPECT_THAT(text, HasSubstr("# Results\n"));
  EXPECT_THAT(text, HasSubstr("\n## f32, 2 threads\n"));
  EXPECT_THAT(text, HasSubstr("A processor, 2 processors"));
  EXPECT_THAT(text, HasSubstr("f32 FMA 234 GFLOP/s, bf16 456 GFLOP/s, copy 45.0 GB/s"));
  EXPECT_THAT(text, HasSubstr("oneDNN 2.6.3, compiler 12.2.0\n"));
  EXPECT_THAT(text,
              HasSubstr("| course-b1 | PyTorch compiled | 4.00 ms | 6.00 ms | 1.50 | 34.0 % |\n"));
  EXPECT_THAT(text, HasSubstr("|  | PyTorch 2.15.0 eager | 8.00 ms |"));
  EXPECT_THAT(text, HasSubstr("- missing: JAX: not installed\n"));
  EXPECT_THAT(text, HasSubstr("- models of characters train on plays\n"));
}

TEST(ResultsWriter, EachReportHasASection) {
  Report bf16 = SampleReport();
  bf16.workloads[0].precision = "bf16";
  bf16.workloads[0].peers.clear();
  const std::string text = ResultsMarkdown({SampleReport(), bf16});
  EXPECT_THAT(text, HasSubstr("\n## f32, 2 threads\n"));
  EXPECT_THAT(text, HasSubstr("\n## bf16, 2 threads\n"));
  EXPECT_THAT(text, HasSubstr("| course-b1 | - | 4.00 ms | - | - | 34.0 % |\n"));
}

TEST(ResultsWriter, AReportOfNothingIsWrittenToo) {
  EXPECT_THAT(ResultsMarkdown({Report()}), Not(HasSubstr("missing:")));
}

}  // namespace
}  // namespace lemma::tools::bench
