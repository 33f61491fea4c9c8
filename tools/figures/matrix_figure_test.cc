#include "tools/figures/matrix_figure.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

MatrixFigure Figure() {
  MatrixFigure figure;
  figure.labels = {"a", "b"};
  figure.panels = {{.title = "only", .weights = {1, 0, 0.25f, 0.75f}}};
  return figure;
}

TEST(VisibleCharacters, ShowsWhatWouldNotBeSeen) {
  EXPECT_THAT(VisibleCharacters("a b\n\t"), ElementsAre("a", "␣", "b", "↵", "⇥"));
  EXPECT_THAT(VisibleCharacters(std::string("\0\x1b\x7f", 3)), ElementsAre("␀", "␛", "␡"));
  // No-break space, right-to-left override, zero-width joiner, soft hyphen.
  EXPECT_THAT(VisibleCharacters("\u00a0\u202e\u200d\u00ad"), ElementsAre("▯", "▯", "▯", "▯"));
  EXPECT_THAT(VisibleCharacters("e\u0301"), ElementsAre("e", "◌\u0301"));
}

TEST(VisibleCharacters, KeepsCharactersOfAnyLengthWhole) {
  EXPECT_THAT(VisibleCharacters("é€😀"), ElementsAre("é", "€", "😀"));
  EXPECT_THAT(VisibleCharacters(""), ElementsAre());
}

TEST(VisibleCharacters, SurvivesBytesThatAreNotUtf8) {
  EXPECT_THAT(VisibleCharacters("a\xff"
                                "b"),
              ElementsAre("a", "\ufffd", "b"));
  EXPECT_THAT(VisibleCharacters("\xe2\x82"), ElementsAre("\ufffd", "\ufffd"));  // cut off
  EXPECT_THAT(VisibleCharacters("\xed\xa0\x80"), testing::SizeIs(3));           // surrogate
  EXPECT_THAT(VisibleCharacters("\xc0\xaf"), ElementsAre("\ufffd", "\ufffd"));  // overlong
  EXPECT_THAT(VisibleCharacters("\xf0\x80\x80\xaf"), testing::SizeIs(4));
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string bytes = {static_cast<char>(first), static_cast<char>(second), 'x'};
      EXPECT_EQ(VisibleCharacters(bytes).back(), "x") << first << " " << second;
    }
  }
}

TEST(PositionLabels, CountFromZero) { EXPECT_THAT(PositionLabels(3), ElementsAre("0", "1", "2")); }

TEST(IsMasked, OnlyZerosOfTheFuture) {
  MatrixFigure figure = Figure();
  EXPECT_TRUE(IsMasked(figure, figure.panels[0], 0, 1));
  EXPECT_FALSE(IsMasked(figure, figure.panels[0], 1, 0));
  figure.panels[0].weights = {1, 1e-30f, 0, 1};
  EXPECT_FALSE(IsMasked(figure, figure.panels[0], 0, 1)) << "a leak must be seen";
  EXPECT_FALSE(IsMasked(figure, figure.panels[0], 1, 0)) << "a zero of the past is a weight";
}

TEST(Validate, RefusesWhatCannotBeDrawn) {
  EXPECT_TRUE(Validate(Figure()).ok());
  EXPECT_FALSE(Validate({}).ok());
  MatrixFigure figure = Figure();
  figure.labels.push_back("c");
  EXPECT_THAT(Validate(figure).message(), HasSubstr("only has 4 weights, not 3 squared"));
  for (const float bad : {NAN, std::numeric_limits<float>::infinity()}) {
    figure = Figure();
    figure.panels[0].weights[2] = bad;
    EXPECT_THAT(Validate(figure).message(), HasSubstr("not a number"));
  }
}

}  // namespace
}  // namespace lemma::tools
