#include "tools/figures/heatmap.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/figures/matrix_figure.h"
#include "tools/gnuplot.h"

namespace lemma::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

bool HasGnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

std::string PathOf(const std::string& name) { return ::testing::TempDir() + "/" + name; }

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// The running mean over the labels, as often as there are panels.
MatrixFigure Figure(std::vector<std::string> labels, int64_t panels, int64_t columns) {
  MatrixFigure figure{.title = "A title", .subtitle = "What rows are", .labels = std::move(labels)};
  figure.columns = columns;
  for (int64_t p = 0; p < panels; ++p) {
    Panel panel{.title = "panel " + std::to_string(p), .weights = {}};
    for (int64_t i = 0; i < figure.size(); ++i) {
      for (int64_t j = 0; j < figure.size(); ++j) {
        panel.weights.push_back(j <= i ? 1.0f / static_cast<float>(i + 1) : 0.0f);
      }
    }
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

// The width and height that the script asks for.
std::pair<int, int> SizeOf(const std::string& script) {
  const size_t at = script.find(" size ");
  std::pair<int, int> size;
  EXPECT_EQ(std::sscanf(script.c_str() + at, " size %d,%d", &size.first, &size.second), 2);
  return size;
}

TEST(HeatmapScript, HoldsWeightsMaskAndLabels) {
  const std::string script =
      HeatmapScript(Figure({"a", "␣", "'"}, 2, 2), ImageFormat::kPng, Shading::kSquareRoot).value();
  EXPECT_THAT(script, HasSubstr("$panel0 << END\n1 -1 -1\n0.5 0.5 -1\n0.3333 0.3333 0.3333\n"));
  EXPECT_THAT(script, HasSubstr("(\"a\" 0, \"␣\" 1, \"'\" 2)"));
  EXPECT_THAT(script, HasSubstr("plot $panel1 matrix"));
}

TEST(HeatmapScript, TheBarNamesWeightsInEitherShading) {
  const MatrixFigure figure = Figure({"a", "b"}, 1, 1);
  EXPECT_THAT(HeatmapScript(figure, ImageFormat::kPng, Shading::kSquareRoot).value(),
              HasSubstr("'0.01' 0.1, "));
  const std::string linear = HeatmapScript(figure, ImageFormat::kPng, Shading::kLinear).value();
  EXPECT_THAT(linear, HasSubstr("'0.25' 0.25, "));
  EXPECT_THAT(linear, Not(HasSubstr("'0.01'")));
}

TEST(HeatmapScript, CellsFitThePictureAndCharactersTheCells) {
  const auto script = [](int64_t size, int64_t panels, int64_t columns) {
    return HeatmapScript(Figure(std::vector<std::string>(size, "x"), panels, columns),
                         ImageFormat::kPng, Shading::kSquareRoot);
  };
  // The course's figures: five panels of 48 in a row, 4 x 4 of 64.
  EXPECT_THAT(script(48, 5, 5).value(), HasSubstr("\"x\" 47"));
  EXPECT_THAT(script(64, 16, 4).value(), HasSubstr("\"x\" 63"));
  EXPECT_LT(SizeOf(script(48, 5, 5).value()).first, 3600);
  EXPECT_LT(SizeOf(script(64, 16, 4).value()).second, 3400);
  // Too many for characters: the axes are numbered.
  EXPECT_THAT(script(256, 36, 6).value(), Not(HasSubstr("\"x\" 0")));
  EXPECT_THAT(script(640, 20, 20).status().message(), HasSubstr("do not fit one picture"));
}

TEST(HeatmapScript, NumbersAreSpacedOut) {
  const std::string script =
      HeatmapScript(Figure(PositionLabels(48), 4, 4), ImageFormat::kSvg, Shading::kSquareRoot)
          .value();
  EXPECT_THAT(script, HasSubstr("(\"0\" 0, \"5\" 5, \"10\" 10, "));
}

TEST(HeatmapScript, LongTextsAreMadeToFit) {
  MatrixFigure figure = Figure({"a", "b"}, 1, 1);
  figure.title = std::string(500, 'x');
  const std::string script = HeatmapScript(figure, ImageFormat::kPng, Shading::kSquareRoot).value();
  EXPECT_THAT(script, HasSubstr("x…x"));
  EXPECT_THAT(script, Not(HasSubstr(figure.title)));
}

TEST(DrawHeatmaps, DrawsEveryText) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  MatrixFigure figure = Figure({"q", "%", "␣", "↵"}, 2, 2);
  figure.panels[1].note = "prev 0.50";
  const std::string path = PathOf("texts.svg");
  const absl::Status drawn = DrawHeatmaps(figure, path, {});
  ASSERT_TRUE(drawn.ok()) << drawn;
  const std::string svg = ReadAll(path);
  for (const char* text : {">A title<", ">What rows are Grey is masked.<", ">panel 0<", ">panel 1<",
                           ">prev 0.50<", ">q<", ">%<", ">␣<", ">↵<", ">0.25<", ">weight<"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
}

TEST(DrawHeatmaps, DrawsPngAndKeepsTheProgram) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string path = PathOf("kept.png");
  const absl::Status drawn = DrawHeatmaps(Figure({"a", "b"}, 1, 1), path, {.keep = true});
  ASSERT_TRUE(drawn.ok()) << drawn;
  EXPECT_EQ(ReadAll(path).substr(0, 4), "\x89PNG");
  EXPECT_THAT(ReadAll(PathOf("kept.gp")), HasSubstr("set output \"kept.png\""));
}

TEST(DrawHeatmaps, TextsAreShownAndNeverRun) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string trap = PathOf("trap");
  MatrixFigure figure = Figure({"'", "\\", "`", "\"", "%", "{", "@", "$"}, 1, 1);
  figure.title = "it's `touch " + trap + "` \"; system('touch " + trap + "')\n!touch " + trap;
  figure.subtitle = "<&> a_b^{c}\nEND\n!touch " + trap;
  figure.panels[0].title = "'; !touch " + trap;
  figure.panels[0].note = "' . system(\"touch " + trap + "\") . '";
  const std::string path = PathOf("hostile.svg");
  const absl::Status drawn = DrawHeatmaps(figure, path, {});
  ASSERT_TRUE(drawn.ok()) << drawn;
  EXPECT_FALSE(std::filesystem::exists(trap));
  for (const char* text : {"&lt;&amp;> a_b^{c} END ", ">'<", ">\\<", ">`<", ">\"<", ">%<", ">@<"}) {
    EXPECT_THAT(ReadAll(path), HasSubstr(text));
  }
}

}  // namespace
}  // namespace lemma::tools
