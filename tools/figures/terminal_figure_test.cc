#include "tools/figures/terminal_figure.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/figures/matrix_figure.h"
#include "tools/plot.h"

namespace lemma::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MatrixFigure Figure() {
  MatrixFigure figure{.title = "Title", .subtitle = "Subtitle", .labels = {"F", "i", "r"}};
  figure.columns = 2;
  const std::vector<float> weights = {1, 0, 0, 0.4f, 0.6f, 0, 0.01f, 0.09f, 0.9f};
  figure.panels = {{.title = "one", .weights = weights}, {.title = "two", .weights = weights}};
  return figure;
}

TEST(TerminalHeatmaps, DrawsWeightsAsBlocksBetweenTheCharacters) {
  EXPECT_THAT(TerminalHeatmaps(Figure(), 5), HasSubstr("\n\n"
                                                       "one\n"
                                                       "F│█\n"
                                                       "i│▓█\n"
                                                       "r│·░█\n"
                                                       " └───\n"
                                                       "  Fir\n"
                                                       "\n"
                                                       "two\n"));
}

TEST(TerminalHeatmaps, UsesTheWidthThatThereIs) {
  EXPECT_THAT(TerminalHeatmaps(Figure(), 80), HasSubstr("one        two\n"
                                                        "F│██       F│██\n"
                                                        "i│▓▓██     i│▓▓██\n"));
}

TEST(TerminalHeatmaps, LongLabelsStandUpright) {
  MatrixFigure figure = Figure();
  figure.labels = {"8", "9", "10"};
  EXPECT_THAT(TerminalHeatmaps(figure, 6), HasSubstr("10│·░█\n"
                                                     "  └───\n"
                                                     "   891\n"
                                                     "     0\n"));
}

TEST(TerminalChart, DrawsCurvesAxesAndLegend) {
  const Chart chart{
      .title = "Loss",
      .x_label = "step",
      .y_label = "nats",
      .curves = {{"falling", {0, 50, 100}, {4, 3, 2}}, {"flat", {0, 100}, {2.5, 2.5}}},
      .lines = {}};
  const std::string text = TerminalChart(chart, 40);
  EXPECT_THAT(text, HasSubstr("Loss\n● falling   ○ flat\n"));
  EXPECT_THAT(text, HasSubstr("\n       4 │●\n"));
  EXPECT_THAT(text, HasSubstr("\n       2 │" + std::string(29, ' ') + "●\n"));
  EXPECT_THAT(text, HasSubstr("step"));
  EXPECT_THAT(text, HasSubstr("100\n"));
}

TEST(TerminalChart, PaleCurvesAreDotsAndZeroIsTheFloor) {
  const Chart chart{.title = "t",
                    .x_label = "",
                    .y_label = "",
                    .curves = {{"", {0, 1}, {4, 4}, CurveStyle::kFaint}, {"run", {0, 1}, {1, 2}}},
                    .lines = {},
                    .from_zero = true};
  const std::string text = TerminalChart(chart, 40);
  EXPECT_THAT(text, HasSubstr("t\n● run\n"));
  EXPECT_THAT(text, HasSubstr("\n       4 │·"));
  EXPECT_THAT(text, HasSubstr("\n       0 │\n"));
}

TEST(TerminalChart, LogarithmsAndConstantsAndNothing) {
  Chart chart{.title = "t", .x_label = "v", .y_label = "y", .curves = {}, .lines = {}};
  EXPECT_THAT(TerminalChart(chart, 40), HasSubstr("nothing to draw"));
  chart.log_x = true;
  chart.curves = {{"c", {1e-4, 1e-2, 1}, {5, 5, 5}}};
  const std::string text = TerminalChart(chart, 40);
  EXPECT_THAT(text, HasSubstr("│●" + std::string(14, ' ')));
  EXPECT_THAT(text, HasSubstr("0.0001"));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

TEST(TerminalWidth, TakesColumnsWhereThereIsNoTerminal) {
  setenv("COLUMNS", "132", 1);
  const int64_t width = TerminalWidth();
  setenv("COLUMNS", "none", 1);
  EXPECT_TRUE(width == 132 || width == TerminalWidth());
  EXPECT_GE(TerminalWidth(), 20);
}

}  // namespace
}  // namespace lemma::tools
