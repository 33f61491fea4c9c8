#include "tools/grading/model/parameter_shapes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::tools::grading {
namespace {

using ::testing::HasSubstr;
using Shapes = std::vector<ParameterShape>;

const Shapes kRight = {{"w", {4, 10}}, {"b", {10}}, {"u", {5, 10}}};

TEST(CompareParameters, PassesTheSameShapesInAnyOrder) {
  const Finding finding = CompareParameters({{"u", {5, 10}}, {"w", {4, 10}}, {"b", {10}}}, kRight);
  EXPECT_TRUE(finding.passed);
  EXPECT_EQ(finding.measured, "100 parameters in 3 tensors (exactly 100)");
  EXPECT_EQ(finding.problem, "");
}

TEST(CompareParameters, NamesEachDifferenceWithItsShare) {
  const Finding finding =
      CompareParameters({{"w", {10, 4}}, {"u", {6, 10}}, {"mask", {8, 8}}}, kRight);
  EXPECT_FALSE(finding.passed);
  EXPECT_EQ(finding.measured, "164 parameters in 3 tensors (exactly 100)");
  EXPECT_EQ(finding.problem,
            "w is (10, 4), not (4, 10): as many parameters;\n"
            "b (10,) is missing: 10 parameters, 10.0 %;\n"
            "u is (6, 10), not (5, 10): 10 parameters more, 10.0 %;\n"
            "mask (8, 8) is one too many: 64 parameters, 64.0 %");
}

TEST(CompareParameters, TellsWhatIsFewer) {
  EXPECT_THAT(CompareParameters({{"w", {4, 10}}, {"b", {9}}, {"u", {5, 10}}}, kRight).problem,
              HasSubstr("b is (9,), not (10,): 1 parameter fewer, 1.0 %"));
}

TEST(CompareParameters, CountsWhatItDoesNotList) {
  Shapes many;
  for (int i = 0; i < 20; ++i) many.push_back({absl::StrCat("x", i), {1}});
  const Finding finding = CompareParameters(many, {});
  EXPECT_THAT(finding.problem, HasSubstr(";\nand 8 tensors more"));
  EXPECT_THAT(finding.problem, HasSubstr("x0 (1,) is one too many: 1 parameter, -"));
}

}  // namespace
}  // namespace lemma::tools::grading
