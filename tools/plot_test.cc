#include "tools/plot.h"

#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string PathOf(const std::string& name) { return ::testing::TempDir() + "/" + name; }

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

int CountOf(absl::string_view text, absl::string_view part) {
  int count = 0;
  for (size_t at = 0; (at = text.find(part, at)) != absl::string_view::npos; ++at) ++count;
  return count;
}

bool HasGnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

Chart LossChart(int steps) {
  Chart chart;
  chart.title = "course on tiny Shakespeare";
  chart.x_label = "step";
  chart.y_label = "loss (nats per character)";
  chart.curves = {{"training", {}, {}}, {"validation", {}, {}}};
  for (int step = 1; step <= steps; ++step) {
    const double loss = 1.7 + 2.5 * std::exp(-step / 300.0);
    chart.curves[0].x.push_back(step);
    chart.curves[0].y.push_back(loss + 0.08 * std::sin(step * 12.9898));
    if (step % 250 != 0) continue;
    chart.curves[1].x.push_back(step);
    chart.curves[1].y.push_back(loss + 0.1);
  }
  chart.lines = {{"ln 65, a uniform guess", std::log(65.0)}};
  return chart;
}

TEST(GnuplotScript, HoldsDataTitlesAndOneCommand) {
  const absl::StatusOr<std::string> script = GnuplotScript(LossChart(500), ImageFormat::kSvg);
  ASSERT_TRUE(script.ok()) << script.status();
  EXPECT_THAT(*script, HasSubstr("set label \"course on tiny Shakespeare\" at screen"));
  EXPECT_THAT(*script, HasSubstr("set xlabel \"step\"\n"));
  EXPECT_THAT(*script, HasSubstr("\n500 2."));
  EXPECT_THAT(*script, HasSubstr("4.17438727 with lines"));
  EXPECT_EQ(CountOf(*script, "\nplot "), 1);
}

TEST(GnuplotScript, LongCurvesAreMeansOfStretches) {
  Chart chart;
  chart.curves = {{"c", {}, {}}};
  for (int i = 0; i < 8000; ++i) {
    chart.curves[0].x.push_back(i);
    chart.curves[0].y.push_back(i % 4);
  }
  const std::string script = GnuplotScript(chart, ImageFormat::kSvg).value();
  EXPECT_THAT(script, HasSubstr("<< END\n1.5 1.5\n5.5 1.5\n"));
  EXPECT_EQ(CountOf(script, " 1.5\n"), 2000);
}

TEST(GnuplotScript, WhatIsNotFiniteIsAGap) {
  Chart chart;
  chart.curves = {{"c", {1, 2, 3}, {1, NAN, INFINITY}}, {"none", {1}, {NAN}}, {"empty", {}, {}}};
  const std::string script = GnuplotScript(chart, ImageFormat::kSvg).value();
  EXPECT_THAT(script, HasSubstr("1 1\n? ?\n? ?\nEND\n"));
  EXPECT_THAT(script, Not(HasSubstr("\"none\"")));
  chart.curves.erase(chart.curves.begin());
  EXPECT_EQ(GnuplotScript(chart, ImageFormat::kSvg).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(DrawChart, DrawsTitlesAxesLegendAndCurves) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string path = PathOf("loss.svg");
  ASSERT_TRUE(DrawChart(LossChart(2000), path).ok()) << DrawChart(LossChart(2000), path);
  const std::string svg = ReadAll(path);
  for (const char* text : {"course on tiny Shakespeare", "loss (nats per character)", ">step<",
                           ">training<", ">validation<", "ln 65, a uniform guess", "</svg>"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, HasSubstr("rgb(  0, 114, 178)"));
  EXPECT_THAT(svg, HasSubstr("rgb(213,  94,   0)"));
}

// The y of the text in an SVG that gnuplot wrote: each stands in a group that moves it.
double HeightOf(const std::string& svg, const std::string& text) {
  const size_t at = svg.find("<text>" + text + "<");
  if (at == std::string::npos) return NAN;
  const size_t begin = svg.rfind("translate(", at);
  return std::strtod(svg.c_str() + svg.find(',', begin) + 1, nullptr);
}

TEST(DrawChart, TheTitleStandsAboveTheLegend) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string path = PathOf("legend.svg");
  ASSERT_TRUE(DrawChart(LossChart(2000), path).ok()) << DrawChart(LossChart(2000), path);
  const std::string svg = ReadAll(path);
  EXPECT_LT(HeightOf(svg, "course on tiny Shakespeare"), HeightOf(svg, "training") - 10);
}

TEST(DrawChart, StylesLogarithmsAndVerticalLines) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  Chart chart;
  chart.log_x = true;
  chart.vertical_lines = {{"eps", 1e-5}};
  chart.curves = {{"measured", {1e-6, 1e-3, 1}, {0.3, 0.9, 1}, CurveStyle::kPoints},
                  {"", {1e-6, 1e-3, 1}, {0.3, 0.9, 1}, CurveStyle::kFaint, 0}};
  const std::string script = GnuplotScript(chart, ImageFormat::kSvg).value();
  EXPECT_THAT(script, HasSubstr("set logscale x\n"));
  EXPECT_THAT(script, HasSubstr("with points"));
  EXPECT_THAT(script, HasSubstr("linecolor '#a00072b2' notitle"));
  const std::string path = PathOf("styles.svg");
  ASSERT_TRUE(DrawChart(chart, path).ok()) << DrawChart(chart, path);
  EXPECT_THAT(ReadAll(path), HasSubstr(">eps<"));
  EXPECT_THAT(ReadAll(path), HasSubstr(">measured<"));
}

TEST(DrawChart, DrawsPng) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string path = PathOf("loss.png");
  ASSERT_TRUE(DrawChart(LossChart(2000), path).ok()) << DrawChart(LossChart(2000), path);
  EXPECT_TRUE(absl::StartsWith(ReadAll(path), "\x89PNG"));
}

TEST(DrawChart, ASinglePointIsDrawn) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  Chart chart;
  chart.curves = {{"c", {1}, {4}}};
  EXPECT_TRUE(DrawChart(chart, PathOf("point.svg")).ok());
}

TEST(DrawChart, TextsAreShownAndNeverRun) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string trap = PathOf("trap");
  unlink(trap.c_str());
  Chart chart = LossChart(300);
  chart.title = "it's `touch " + trap + "` \"; system('touch " + trap + "')\n!touch " + trap;
  chart.curves[0].name = "a_b^{c} @x \\n <&> \u00e9";
  const std::string path = PathOf("texts.svg");
  ASSERT_TRUE(DrawChart(chart, path).ok()) << DrawChart(chart, path);
  EXPECT_FALSE(std::filesystem::exists(trap));
  EXPECT_TRUE(absl::StrContains(ReadAll(path), "a_b^{c} @x \\n &lt;&amp;> \u00e9"));
}

TEST(DrawChart, SaysWhatIsMissing) {
  EXPECT_EQ(DrawChart(LossChart(10), PathOf("loss.jpg")).message(),
            "cannot draw " + PathOf("loss.jpg") + ": its name must end in .svg or .png");
  const std::string path = std::getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const absl::Status status = DrawChart(LossChart(10), PathOf("loss.svg"));
  setenv("PATH", path.c_str(), 1);
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "cannot draw " + PathOf("loss.svg") +
                                  ": gnuplot is missing; install the package gnuplot-nox");
}

}  // namespace
}  // namespace lemma::tools
