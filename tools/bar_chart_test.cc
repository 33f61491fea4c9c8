#include "tools/bar_chart.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "tools/gnuplot.h"

namespace lemma::tools {
namespace {

BarChart ClassChart() {
  return {.title = "causal_attention: 3 of 9 passed",
          .bars = {{"passed", "", 3, BarColour::kGood},
                   {"mask/after", "masks after the softmax", 5},
                   {"`rm -rf` '\"\\", "100 % \n of it", 1, BarColour::kPale}}};
}

TEST(BarChart, HasALabelForEachNameAndNumber) {
  const absl::StatusOr<std::string> script = GnuplotScript(ClassChart(), ImageFormat::kSvg);
  ASSERT_TRUE(script.ok()) << script.status();
  for (const char* part : {"causal_attention: 3 of 9 passed", "passed", "mask/after",
                           "masks after the softmax", "set label '5' at first 5, first 1"}) {
    EXPECT_TRUE(absl::StrContains(*script, part)) << part;
  }
  EXPECT_FALSE(absl::StrContains(*script, "`"));
}

TEST(BarChart, RefusesToDrawNothing) {
  EXPECT_EQ(GnuplotScript(BarChart{.title = "empty"}, ImageFormat::kSvg).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(DrawBarChart(ClassChart(), ::testing::TempDir() + "/class.gif").ok());
}

TEST(BarChart, IsDrawnByGnuplot) {
  if (std::system("command -v gnuplot >/dev/null 2>&1") != 0) GTEST_SKIP() << "no gnuplot";
  const std::string path = ::testing::TempDir() + "/class.svg";
  const absl::Status drawn = DrawBarChart(ClassChart(), path);
  ASSERT_TRUE(drawn.ok()) << drawn;
  std::ifstream file(path);
  const std::string svg(std::istreambuf_iterator<char>(file), {});
  EXPECT_TRUE(absl::StrContains(svg, "mask/after"));
  EXPECT_TRUE(absl::StrContains(svg, "`rm -rf`"));
}

}  // namespace
}  // namespace lemma::tools
