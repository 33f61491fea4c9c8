// The course's attention head against PyTorch's numbers: Head(d=32, d_head=16, T=8) at seed 0.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/attention.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "nn/linear.h"
#include "tests/course/golden.h"

namespace lemma {
namespace {

// The largest distance of an element from its golden value; infinite where the counts differ.
double LargestDistance(const Tensor& x, const nlohmann::json& golden) {
  const std::vector<float> values = x.Detach().ToVector<float>();
  const std::vector<double> expected = golden;
  if (values.size() != expected.size()) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(values[i] - expected[i]));
  }
  return largest;
}

class CourseHead : public testing::Test {
 protected:
  CourseHead()
      : key_({.in = 32, .out = 16, .bias = false}, generator_),
        query_({.in = 32, .out = 16, .bias = false}, generator_),
        value_({.in = 32, .out = 16, .bias = false}, generator_),
        x_(RandN({4, 8, 32}, generator_)) {}

  Generator generator_{0};
  nn::Linear key_, query_, value_;
  const Tensor x_;  // (B, T, C)
  const nlohmann::json golden_ = ReadTestData("course_head_seed0.json");
};

TEST_F(CourseHead, DrawsPyTorchsParametersAndInput) {
  EXPECT_EQ(LargestDistance(key_.weight, golden_.at("key")), 0);
  EXPECT_EQ(LargestDistance(query_.weight, golden_.at("query")), 0);
  EXPECT_EQ(LargestDistance(value_.weight, golden_.at("value")), 0);
  EXPECT_EQ(LargestDistance(x_, golden_.at("x")), 0);
}

TEST_F(CourseHead, FusedAttentionGivesTheOutput) {
  const Tensor out = ScaledDotProductAttention(query_(x_), key_(x_), value_(x_), {.causal = true});
  EXPECT_EQ(out.shape(), (Shape{4, 8, 16}));
  EXPECT_LT(LargestDistance(out, golden_.at("out")), 1e-6);
}

TEST_F(CourseHead, TheDefinitionGivesOutputAndWeights) {
  Tensor weights;  // (B, T, T)
  const Tensor out =
      AttentionDefinition(query_(x_), key_(x_), value_(x_), {.causal = true}, &weights);
  EXPECT_LT(LargestDistance(out, golden_.at("out")), 1e-6);
  EXPECT_EQ(weights.shape(), (Shape{4, 8, 8}));
  EXPECT_LT(LargestDistance(weights, golden_.at("A")), 1e-6);
}

}  // namespace
}  // namespace lemma
