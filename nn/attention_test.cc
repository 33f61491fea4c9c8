// Attention layers, beyond what every layer must do (nn/layers_test.cc).
#include "nn/attention.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/create.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/join.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/kv_cache.h"
#include "nn/linear.h"
#include "nn/module.h"

namespace lemma::nn {
namespace {

TEST(MultiHeadAttentionLayer, HeadsDoNotChangeTheCount) {
  constexpr int64_t in = 12, out = 24;
  for (int64_t heads : {1, 2, 3, 6, 24}) {
    Generator generator(0);
    MultiHeadAttention attention({.in = in, .out = out, .heads = heads}, generator);
    EXPECT_EQ(attention.NumParameters(), 3 * in * out + out * out + out) << heads;
    EXPECT_EQ(attention(Zeros({2, 3, in})).shape(), (Shape{2, 3, out}));
  }
}

TEST(MultiHeadAttentionLayer, TakesKeysAndValuesFromASource) {
  Generator generator(0);
  MultiHeadAttention attention({.in = 6, .out = 4, .heads = 2}, generator);
  const Tensor x = RandN({2, 3, 6}, generator), source = RandN({2, 7, 6}, generator);
  const Tensor y = attention(x, source);
  EXPECT_EQ(y.shape(), (Shape{2, 3, 4}));
  // The order of what is attended to does not matter.
  const Tensor turned = Concat({Slice(source, 1, 4), Slice(source, 1, 0, 4)}, 1);
  const std::vector<float> expected = y.ToVector<float>();
  EXPECT_THAT(attention(x, turned).ToVector<float>(),
              testing::Pointwise(testing::FloatNear(1e-6f), expected));
}

// Keeps what a module reports from inside.
class WeightsListener : public Observer {
 public:
  void OnCall(const std::string&, const char*, const TensorList&, const Tensor&) override {}
  void OnValue(const std::string& path, const std::string& name, const Tensor& value) override {
    seen.push_back(path + "/" + name);
    weights = value;
  }
  std::vector<std::string> seen;
  Tensor weights;
};

TEST(AttentionLayers, AgreeWithEachOtherAndReportTheirWeights) {
  Generator generator(0);
  CausalSelfAttention packed({.width = 6, .heads = 2, .qkv_bias = true}, generator);
  MultiHeadAttention separate({.in = 6, .out = 6, .heads = 2, .qkv_bias = true, .causal = true},
                              generator);
  {
    NoGrad no_grad;
    Linear* parts[] = {&separate.q_proj, &separate.k_proj, &separate.v_proj};
    for (int i = 0; i < 3; ++i) {
      CopyFrom(parts[i]->weight, Slice(packed.qkv.weight, 0, 6 * i, 6 * i + 6));
      CopyFrom(parts[i]->bias, Slice(packed.qkv.bias, 0, 6 * i, 6 * i + 6));
    }
    CopyFrom(separate.out_proj.weight, packed.proj.weight);
    CopyFrom(separate.out_proj.bias, packed.proj.bias);
  }
  const Tensor x = RandN({2, 5, 6}, generator);
  const std::vector<float> expected = packed(x).ToVector<float>();
  EXPECT_THAT(separate(x).ToVector<float>(),
              testing::Pointwise(testing::FloatNear(1e-6f), expected));

  WeightsListener of_packed, of_separate;
  {
    const Observer::Scope scope(of_packed);
    EXPECT_THAT(packed(x).ToVector<float>(),
                testing::Pointwise(testing::FloatNear(1e-6f), expected));
    const Observer::Scope inner(of_separate);
    separate(x);
  }
  EXPECT_THAT(of_packed.seen, testing::ElementsAre("/weights"));
  EXPECT_THAT(of_separate.seen, testing::ElementsAre("/weights"));
  EXPECT_EQ(of_packed.weights.shape(), (Shape{2, 2, 5, 5}));
  const std::vector<float> a = of_packed.weights.ToVector<float>();
  EXPECT_THAT(of_separate.weights.ToVector<float>(),
              testing::Pointwise(testing::FloatNear(1e-6f), a));
  for (size_t row = 0; row < a.size() / 5; ++row) {
    double sum = 0;
    for (size_t s = 0; s < 5; ++s) {
      EXPECT_EQ(a[row * 5 + s] > 0, s <= row % 5) << row << ", " << s;
      sum += a[row * 5 + s];
    }
    EXPECT_NEAR(sum, 1, 1e-6);
  }
}

// What the course draws: for each head a Linear for key, query and value, then the projection.
TEST(CausalSelfAttentionLayer, DrawsHeadByHeadAsLinearsWould) {
  for (bool bias : {false, true}) {
    Generator generator(8), course(8);
    CausalSelfAttention attention({.width = 6, .heads = 2, .qkv_bias = bias}, generator);
    std::vector<NamedTensor> expected;
    for (int head = 0; head < 2; ++head) {
      for (const char* part : {"key", "query", "value"}) {
        const Linear linear({.in = 6, .out = 3, .bias = bias}, course);
        const std::string name = "heads." + std::to_string(head) + "." + part;
        expected.push_back({name + ".weight", linear.weight});
        if (bias) expected.push_back({name + ".bias", linear.bias});
      }
    }
    const Linear proj({.in = 6, .out = 6}, course);
    expected.push_back({"proj.weight", proj.weight});
    expected.push_back({"proj.bias", proj.bias});
    const std::vector<NamedTensor> views = attention.NamedParameterViews();
    EXPECT_EQ(views.size(), expected.size());
    for (const NamedTensor& named : expected) {
      auto it = std::find_if(views.begin(), views.end(),
                             [&](const NamedTensor& view) { return view.name == named.name; });
      ASSERT_NE(it, views.end()) << named.name;
      EXPECT_EQ(it->value.ToVector<float>(), named.value.ToVector<float>()) << named.name;
    }
    EXPECT_EQ(generator.Random64(), course.Random64());
  }
}

TEST(CausalSelfAttentionLayer, AHeadsMatricesAreRowsOfOne) {
  Generator generator(8);
  CausalSelfAttention attention({.width = 6, .heads = 3}, generator);
  const std::vector<std::string> parts = {"query", "key", "value"};
  int found = 0;
  for (const NamedTensor& view : attention.NamedParameterViews()) {
    for (int64_t part = 0; part < 3; ++part) {
      for (int64_t head = 0; head < 3; ++head) {
        if (view.name != absl::StrCat("heads.", head, ".", parts[part], ".weight")) continue;
        const int64_t begin = part * 6 + head * 2;
        EXPECT_EQ(view.value.ToVector<float>(),
                  Slice(attention.qkv.weight, 0, begin, begin + 2).ToVector<float>())
            << view.name;
        ++found;
      }
    }
  }
  EXPECT_EQ(found, 9);
}

TEST(CausalSelfAttentionLayer, ACacheGivesTheSameRows) {
  Generator generator(0);
  CausalSelfAttention attention({.width = 6, .heads = 3}, generator);
  const Tensor x = RandN({2, 7, 6}, generator);
  NoGrad no_grad;
  const std::vector<float> expected = attention(x).ToVector<float>();
  KvCache cache(7);
  std::vector<Tensor> rows;
  int64_t begin = 0;
  for (int64_t length : {1, 3, 1, 2}) {
    rows.push_back(attention(Slice(x, 1, begin, begin + length), &cache));
    begin += length;
    EXPECT_EQ(cache.length(), begin);
  }
  EXPECT_THAT(Concat(rows, 1).ToVector<float>(),
              testing::Pointwise(testing::FloatNear(1e-6f), expected));
  EXPECT_EQ(ErrorOf([&] { attention(Slice(x, 1, 0, 1), &cache); }),
            "[kv_cache] there is room for 7 positions; 7 are held and 1 more were given; Clear() "
            "and fill it anew");
  cache.Clear();
  EXPECT_EQ(cache.length(), 0);
  EXPECT_THAT(attention(x, &cache).ToVector<float>(),
              testing::Pointwise(testing::FloatNear(1e-6f), expected));
}

TEST(CausalSelfAttentionLayer, WrongCallsAreNamed) {
  Generator generator(0);
  CausalSelfAttention attention({.width = 6, .heads = 3}, generator);
  KvCache cache(7);
  EXPECT_EQ(ErrorOf([&] {
              attention(Zeros({1, 2, 6}), &cache);
            }),
            "[kv_cache] a cache works under NoGrad only; nothing in it is recorded");
  EXPECT_EQ(ErrorOf([&] {
              attention(Zeros({2, 5}));
            }),
            "[CausalSelfAttention] x: it must be (B, T, 6); it is (2, 5)");
  EXPECT_EQ(ErrorOf([&] { CausalSelfAttention({.width = 6, .heads = 4}, generator); }),
            "[CausalSelfAttention] the width 6 must be a multiple of the 4 heads");
  EXPECT_EQ(ErrorOf([&] { MultiHeadAttention({.in = 6, .out = 6, .heads = 0}, generator); }),
            "[MultiHeadAttention] the width 6 must be a multiple of the 0 heads");
}

}  // namespace
}  // namespace lemma::nn
