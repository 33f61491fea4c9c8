// The layers under what every layer must do (nn/every_layer.h), and what each does of its own.
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/kernels/gelu_form.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/in_place.h"
#include "autograd/random.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/activation.h"
#include "nn/attention.h"
#include "nn/dropout.h"
#include "nn/embedding.h"
#include "nn/every_layer.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/sequential.h"

namespace lemma::nn {
namespace {

using ::testing::HasSubstr;

Generator& DropoutGenerator() {
  static Generator generator(1);
  return generator;
}

template <typename T, typename... Args>
std::function<BuiltLayer(Generator&)> Plain(Args... args) {
  return BuildWith([=](Generator&) { return std::make_unique<T>(args...); });
}

template <typename T, typename Options>
std::function<BuiltLayer(Generator&)> Drawn(const Options& options) {
  return BuildWith([=](Generator& generator) { return std::make_unique<T>(options, generator); });
}

std::unique_ptr<Sequential> SmallNet(Generator& generator) {
  auto net = std::make_unique<Sequential>();
  net->Add<Linear>(LinearOptions{.in = 6, .out = 4}, generator);
  net->Add<Tanh>();
  net->Add<Linear>(LinearOptions{.in = 4, .out = 3, .bias = false}, generator);
  return net;
}

std::vector<LayerCase> Cases() {
  Generator generator(3);
  const Tensor x = RandN({2, 5, 6}, generator);  // (B, T, C)
  const Tensor rows = FromValues<int64_t>({0, 6, 3, 3, 1, 2, 4, 5}, {2, 4});
  return {
      {"Linear",
       Drawn<Linear>(LinearOptions{.in = 6, .out = 4}),
       x,
       {{"weight", {4, 6}}, {"bias", {4}}},
       "[linear]"},
      {"LinearWithoutBias",
       Drawn<Linear>(LinearOptions{.in = 6, .out = 4, .bias = false}),
       x,
       {{"weight", {4, 6}}},
       "[linear]"},
      {"LayerNorm",
       Plain<LayerNorm>(LayerNormOptions{.width = 6}),
       x,
       {{"weight", {6}}, {"bias", {6}}},
       "[layer_norm]"},
      {"LayerNormWithoutBias",
       Plain<LayerNorm>(LayerNormOptions{.width = 6, .bias = false}),
       x,
       {{"weight", {6}}},
       "[layer_norm]"},
      {"LayerNormWithoutParameters",
       Plain<LayerNorm>(LayerNormOptions{.width = 6, .elementwise_affine = false}),
       x,
       {},
       "[layer_norm]"},
      {"Embedding",
       Drawn<Embedding>(EmbeddingOptions{.rows = 7, .width = 3}),
       rows,
       {{"weight", {7, 3}}},
       "[embedding]"},
      {"Dropout", Plain<Dropout>(0.5, &DropoutGenerator()), x, {}, "[dropout]", true},
      {"MultiHeadAttention",
       Drawn<MultiHeadAttention>(MultiHeadAttentionOptions{.in = 6, .out = 8, .heads = 2}),
       x,
       {{"q_proj.weight", {8, 6}},
        {"k_proj.weight", {8, 6}},
        {"v_proj.weight", {8, 6}},
        {"out_proj.weight", {8, 8}},
        {"out_proj.bias", {8}}},
       "q_proj: [linear]"},
      {"MultiHeadAttentionWithAllOptions",
       Drawn<MultiHeadAttention>(
           MultiHeadAttentionOptions{.in = 6,
                                     .out = 8,
                                     .heads = 4,
                                     .qkv_bias = true,
                                     .out_bias = false,
                                     .causal = true,
                                     .dropout = 0.5,
                                     .dropout_generator = &DropoutGenerator()}),
       x,
       {{"q_proj.weight", {8, 6}},
        {"q_proj.bias", {8}},
        {"k_proj.weight", {8, 6}},
        {"k_proj.bias", {8}},
        {"v_proj.weight", {8, 6}},
        {"v_proj.bias", {8}},
        {"out_proj.weight", {8, 8}}},
       "q_proj: [linear]",
       true},
      {"CausalSelfAttention",
       Drawn<CausalSelfAttention>(CausalSelfAttentionOptions{.width = 6, .heads = 3}),
       x,
       {{"qkv.weight", {18, 6}}, {"proj.weight", {6, 6}}, {"proj.bias", {6}}},
       "qkv: [linear]"},
      {"CausalSelfAttentionWithAllOptions",
       Drawn<CausalSelfAttention>(
           CausalSelfAttentionOptions{.width = 6,
                                      .heads = 2,
                                      .qkv_bias = true,
                                      .proj_bias = false,
                                      .dropout = 0.5,
                                      .dropout_generator = &DropoutGenerator()}),
       x,
       {{"qkv.weight", {18, 6}}, {"qkv.bias", {18}}, {"proj.weight", {6, 6}}},
       "qkv: [linear]",
       true},
      {"Gelu", Plain<Gelu>(), x, {}, "[gelu]"},
      {"GeluTanh", Plain<Gelu>(GeluForm::kTanh), x, {}, "[gelu]"},
      {"Relu", Plain<Relu>(), x, {}, "[relu]"},
      {"Silu", Plain<Silu>(), x, {}, "[silu]"},
      {"Tanh", Plain<Tanh>(), x, {}, "[tanh]"},
      {"Sigmoid", Plain<Sigmoid>(), x, {}, "[sigmoid]"},
      {"Softmax", Plain<Softmax>(-1), x, {}, "[softmax]"},
      {"Sequential",
       BuildWith(SmallNet),
       x,
       {{"0.weight", {4, 6}}, {"0.bias", {4}}, {"2.weight", {3, 4}}},
       "0: [linear]"},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLayer, testing::ValuesIn(Cases()), LayerName);

TEST(LinearLayer, IsXTimesTheTransposedWeightPlusBias) {
  Linear linear({.in = 2, .out = 3});
  {
    NoGrad no_grad;
    CopyFrom(linear.weight, FromValues<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
    CopyFrom(linear.bias, FromValues<float>({0.5f, 0, -1}));
  }
  const Tensor y = linear(FromValues<float>({1, 10}, {1, 2}));
  EXPECT_EQ(y.ToVector<float>(), (std::vector<float>{21.5f, 43, 64}));
}

TEST(LinearLayer, WrongWidthNamesBoth) {
  Generator generator(0);
  Linear linear({.in = 6, .out = 4}, generator);
  EXPECT_THAT(ErrorOf([&] { linear(Zeros({2, 5})); }), HasSubstr("(2, 5)"));
  EXPECT_THAT(ErrorOf([&] { linear(Zeros({2, 5})); }), HasSubstr("(4, 6)"));
  EXPECT_EQ(ErrorOf([&] { Linear({.in = 0, .out = 4}, generator); }),
            "[Linear] in and out must be positive; they are 0 and 4");
}

TEST(LinearLayer, InBFloat16RoundsOperandsWhileParametersAreFloat32) {
  Generator one(1), two(1);
  Linear plain({.in = 6, .out = 4}, one);
  Linear mixed({.in = 6, .out = 4, .compute_dtype = DType::kBFloat16}, two);
  const Tensor x = FromValues<float>({1, 2, 3, 4, 5, 6}, {1, 6});  // exact in bfloat16
  const std::vector<float> rounded = mixed(x).ToVector<float>();
  EXPECT_NE(rounded, plain(x).ToVector<float>());
  const auto round = [](const Tensor& x) {
    return Cast(Cast(x.Detach(), DType::kBFloat16), DType::kFloat32);
  };
  plain.weight = round(plain.weight);
  EXPECT_EQ(rounded, round(plain(x)).ToVector<float>());
  mixed.To(DType::kFloat64);
  EXPECT_EQ(mixed(Cast(x, DType::kFloat64)).dtype(), DType::kFloat64);
}

TEST(LayerNormLayer, StartsAsTheIdentityOfItsParameters) {
  LayerNorm norm({.width = 3});
  EXPECT_EQ(norm.weight.ToVector<float>(), (std::vector<float>{1, 1, 1}));
  EXPECT_EQ(norm.bias.ToVector<float>(), (std::vector<float>{0, 0, 0}));
  const std::vector<float> y = norm(FromValues<float>({1, 2, 3}, {1, 3})).ToVector<float>();
  EXPECT_NEAR(y[0], -std::sqrt(1.5), 1e-4);
  EXPECT_NEAR(y[1], 0, 1e-6);
  EXPECT_NEAR(y[2], std::sqrt(1.5), 1e-4);
}

TEST(EmbeddingLayer, AnIndexOutOfRangeIsNamedWithItsPlace) {
  Generator generator(0);
  Embedding embedding({.rows = 7, .width = 3}, generator);
  EXPECT_EQ(embedding(FromValues<int64_t>({6, 0}, {1, 2})).shape(), (Shape{1, 2, 3}));
  const std::string error = ErrorOf([&] { embedding(FromValues<int64_t>({6, 7}, {1, 2})); });
  EXPECT_THAT(error, HasSubstr("7"));
  EXPECT_THAT(error, HasSubstr("(0, 1)"));
}

TEST(DropoutLayer, KeepsTheMeanAndRefusesNonsense) {
  Generator generator(4);
  Dropout dropout(0.25, &generator);
  const std::vector<float> y = dropout(Ones({10000})).ToVector<float>();
  double sum = 0;
  for (float value : y) {
    EXPECT_TRUE(value == 0 || std::abs(value - 4.0f / 3) < 1e-6f) << value;
    sum += value;
  }
  // 4 standard deviations of the mean: sqrt(p / (1 - p) / n) each.
  EXPECT_NEAR(sum / 10000, 1, 4 * std::sqrt(0.25 / 0.75 / 10000));
  EXPECT_EQ(ErrorOf([&] { Dropout(1.5, &generator); }),
            "[Dropout] p: a probability is in [0, 1]; p is 1.5");
  EXPECT_EQ(ErrorOf([] { Dropout(0.1, nullptr); }),
            "[Dropout] generator: p > 0 needs one to draw from");
  Dropout all(1, &generator);
  EXPECT_EQ(all(Ones({3})).ToVector<float>(), (std::vector<float>{0, 0, 0}));
}

}  // namespace
}  // namespace lemma::nn
