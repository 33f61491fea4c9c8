#include "tools/bench/table.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

TEST(Table, TimesHaveThreeDigitsAndAUnit) {
  EXPECT_EQ(FormatMilliseconds(0.000412), "412 ns");
  EXPECT_EQ(FormatMilliseconds(0.0018), "1.80 us");
  EXPECT_EQ(FormatMilliseconds(0.0234), "23.4 us");
  EXPECT_EQ(FormatMilliseconds(6.2149), "6.21 ms");
  EXPECT_EQ(FormatMilliseconds(99.96), "100 ms");
  EXPECT_EQ(FormatMilliseconds(5183.4), "5,183 ms");
}

TEST(Table, MachinesSayWhatTheyCan) {
  Machine machine{.cpu = "A processor",
                  .cores = 2,
                  .limits = {.f32_gflops = 234.2, .bf16_gflops = 456, .copy_gb_s = 45.06}};
  EXPECT_EQ(FormatMachine(machine),
            "A processor, 2 processors\n"
            "limits: f32 FMA 234 GFLOP/s, bf16 456 GFLOP/s, copy 45.1 GB/s\n");
  machine.limits.bf16_gflops = 0;
  EXPECT_NE(FormatMachine(machine).find("no bf16 in hardware"), std::string::npos);
}

TEST(Table, ColumnsAreAligned) {
  EXPECT_EQ(FormatColumns({{"a", "name", "n"}, {"bbb", "x", "100"}}),
            "a    name    n\n"
            "bbb  x     100\n");
}

TEST(Table, MarkdownHasARuleBelowTheHeading) {
  EXPECT_EQ(FormatMarkdown({{"a", "b", "n"}, {"x", "y", "1"}}),
            "| a | b | n |\n"
            "| --- | --- | ---: |\n"
            "| x | y | 1 |\n");
}

TEST(Table, RowsGiveOursAndBelowItThePeers) {
  WorkloadResult result{.name = "course-b1",
                        .precision = "f32",
                        .threads = 2,
                        .median_ms = 4,
                        .spread = 0.02,
                        .tokens_per_s = 16000,
                        .share_of_peak = 0.5,
                        .peak_bytes = 3 << 20};
  result.peers = {{.name = "PyTorch",
                   .version = "2.15.0",
                   .mode = "eager",
                   .median_ms = 8,
                   .spread = 0.01,
                   .tokens_per_s = 8000,
                   .peak_bytes = 6 << 20,
                   .ratio = 2}};
  const std::vector<std::vector<std::string>> rows = ResultRows({result});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"course-b1", "Lemma f32", "4.00 ms", "2.0 %",
                                               "16,000", "50.0 %", "3.0 MiB", ""}));
  EXPECT_EQ(rows[2], (std::vector<std::string>{"", "PyTorch 2.15.0 eager", "8.00 ms", "1.0 %",
                                               "8,000", "25.0 %", "6.0 MiB", "2.00"}));
}

TEST(Table, KernelsHaveARateAndItsLimit) {
  const std::vector<std::vector<std::string>> rows = KernelRows(
      {{.name = "MatMul/64", .median_ms = 0.5, .spread = 0.01, .gflops = 190, .share_of_peak = 0.8},
       {.name = "Gelu/64", .median_ms = 0.02, .gb_s = 20, .share_of_peak = 0.4},
       {.name = "Call", .median_ms = 0.001}});
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1], (std::vector<std::string>{"MatMul/64", "FMA", "500 us", "1.0 %", "190 GFLOP/s",
                                               "80.0 %"}));
  EXPECT_EQ(rows[2],
            (std::vector<std::string>{"Gelu/64", "copy", "20.0 us", "-", "20.0 GB/s", "40.0 %"}));
  EXPECT_EQ(rows[3], (std::vector<std::string>{"Call", "-", "1.00 us", "-", "-", "-"}));
}

}  // namespace
}  // namespace lemma::tools::bench
