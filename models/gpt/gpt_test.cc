// The GPT and its parts under what every layer must do, and what they do of their own.
#include "models/gpt/gpt.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/join.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/storage.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/every_layer.h"

namespace lemma::nn {
namespace {

using models::GptConfig;
using models::GptInit;

Generator& DropoutGenerator() {
  static Generator generator(1);
  return generator;
}

template <typename T>
std::function<BuiltLayer(Generator&)> Block(const GptConfig& config) {
  return BuildWith([=](Generator& generator) {
    if constexpr (std::is_same_v<T, models::Mlp>) {
      return std::make_unique<T>(config, generator);
    } else {
      return std::make_unique<T>(config, generator, &DropoutGenerator());
    }
  });
}

std::vector<LayerCase> Cases() {
  const GptConfig course = {.vocab = 7, .context = 5, .width = 6, .heads = 3, .layers = 2};
  GptConfig nanogpt = course;
  nanogpt.tied_head = true;
  nanogpt.bias = nanogpt.norm_bias = false;
  nanogpt.gelu_tanh = true;
  nanogpt.layers = 1;
  nanogpt.init = GptInit::kGpt2;
  GptConfig with_dropout = nanogpt;
  with_dropout.dropout = 0.5;
  Generator generator(3);
  const Tensor x = RandN({2, 5, 6}, generator);  // (B, T, C)
  const Tensor tokens = FromValues<int64_t>({0, 6, 3, 3, 1, 2, 4, 5}, {2, 4});
  const std::vector<std::pair<std::string, Shape>> nanogpt_parameters = {
      {"tok.weight", {7, 6}},
      {"pos.weight", {5, 6}},
      {"blocks.0.ln1.weight", {6}},
      {"blocks.0.attn.qkv.weight", {18, 6}},
      {"blocks.0.attn.proj.weight", {6, 6}},
      {"blocks.0.ln2.weight", {6}},
      {"blocks.0.mlp.fc.weight", {24, 6}},
      {"blocks.0.mlp.proj.weight", {6, 24}},
      {"lnf.weight", {6}}};
  std::vector<std::pair<std::string, Shape>> course_parameters = {{"tok.weight", {7, 6}},
                                                                  {"pos.weight", {5, 6}}};
  const std::vector<std::pair<std::string, Shape>> block_parameters = {{"ln1.weight", {6}},
                                                                       {"ln1.bias", {6}},
                                                                       {"attn.qkv.weight", {18, 6}},
                                                                       {"attn.proj.weight", {6, 6}},
                                                                       {"attn.proj.bias", {6}},
                                                                       {"ln2.weight", {6}},
                                                                       {"ln2.bias", {6}},
                                                                       {"mlp.fc.weight", {24, 6}},
                                                                       {"mlp.fc.bias", {24}},
                                                                       {"mlp.proj.weight", {6, 24}},
                                                                       {"mlp.proj.bias", {6}}};
  for (const char* block : {"blocks.0.", "blocks.1."}) {
    for (const auto& [name, shape] : block_parameters) {
      course_parameters.emplace_back(block + name, shape);
    }
  }
  course_parameters.insert(course_parameters.end(),
                           {{"lnf.weight", {6}}, {"lnf.bias", {6}}, {"head.weight", {7, 6}}});
  return {
      {"Mlp",
       Block<models::Mlp>(course),
       x,
       {{"fc.weight", {24, 6}}, {"fc.bias", {24}}, {"proj.weight", {6, 24}}, {"proj.bias", {6}}},
       "fc: [linear]"},
      {"Block", Block<models::Block>(course), x, block_parameters, "ln1: [layer_norm]"},
      {"Gpt", Block<models::Gpt>(course), tokens, course_parameters, "tok: [embedding]"},
      {"TiedGpt", Block<models::Gpt>(nanogpt), tokens, nanogpt_parameters, "tok: [embedding]"},
      {"GptWithDropout", Block<models::Gpt>(with_dropout), tokens, nanogpt_parameters,
       "tok: [embedding]", true},
  };
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLayer, testing::ValuesIn(Cases()), LayerName);

}  // namespace
}  // namespace lemma::nn

namespace lemma::models {
namespace {

using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

const GptConfig kSmall = {.vocab = 11, .context = 9, .width = 12, .heads = 3, .layers = 3};

GptConfig SmallNanoGpt() {
  GptConfig config = kSmall;
  config.tied_head = true;
  config.bias = config.norm_bias = false;
  config.init = GptInit::kGpt2;
  return config;
}

GptConfig EveryBias() {
  GptConfig config = kSmall;
  config.head_bias = config.qkv_bias = config.gelu_tanh = true;
  return config;
}

TEST(Gpt, ErrorsInsideNameTheWholePath) {
  Generator generator(0);
  Gpt model(kSmall, generator);
  const Tensor tokens = Zeros({1, 4}, DType::kInt64);
  model.blocks[2].attn.qkv.weight = Zeros({36, 7});
  EXPECT_THAT(ErrorOf([&] { model(tokens); }), testing::StartsWith("blocks.2.attn.qkv: [linear] "));
}

TEST(Gpt, WrongCallsAreNamed) {
  Generator generator(0);
  Gpt model(kSmall, generator);
  EXPECT_EQ(ErrorOf([&] { model(Zeros({4}, DType::kInt64)); }),
            "[Gpt] tokens: they must be (B, T); they are (4,)");
  EXPECT_EQ(ErrorOf([&] {
              model(Zeros({1, 10}, DType::kInt64));
            }),
            "[Gpt] tokens: the context is 9 positions; 0 are in the cache and 10 were given");
  EXPECT_EQ(ErrorOf([&] {
              model.Loss(Zeros({1, 4}, DType::kInt64), Zeros({1, 3}, DType::kInt64));
            }),
            "[Gpt] targets: they must be (1, 4) as the tokens; they are (1, 3)");
  const std::string error = ErrorOf([&] { model(FromValues<int64_t>({0, 11}, {1, 2})); });
  EXPECT_THAT(error, testing::StartsWith("tok: [embedding] "));
  EXPECT_THAT(error, HasSubstr("11"));
  GptConfig with_dropout = kSmall;
  with_dropout.dropout = 0.1;
  EXPECT_EQ(ErrorOf([&] { Gpt(with_dropout, generator); }),
            "[Dropout] generator: p > 0 needs one to draw from");
  GptConfig without_layers = kSmall;
  without_layers.layers = 0;
  EXPECT_EQ(ErrorOf([&] { Gpt(without_layers, generator); }),
            "[Gpt] config: layers must be between 1 and 16777216; it is 0");
  EXPECT_EQ(ErrorOf([&] { GptCache cache(without_layers); }),
            "[Gpt] config: layers must be between 1 and 16777216; it is 0");
}

TEST(Gpt, ACacheOfAnotherModelIsNamed) {
  Generator generator(0);
  Gpt model(kSmall, generator);
  GptConfig shallow = kSmall;
  shallow.layers = 2;
  GptCache cache(shallow);
  const NoGrad no_grad;
  EXPECT_EQ(
      ErrorOf([&] {
        model(Zeros({1, 1}, DType::kInt64), &cache);
      }),
      "[Gpt] cache: it must be of 3 layers with room for 9 positions, as the model; it is of 2 "
      "with room for 9");
}

TEST(Gpt, LossIsTheCrossEntropyOfItsLogits) {
  for (const GptConfig& config : {kSmall, SmallNanoGpt(), EveryBias()}) {
    Generator generator(4);
    Gpt model(config, generator);
    const Tensor tokens = RandInt(0, 11, {3, 7}, generator);
    const Tensor targets = RandInt(0, 11, {3, 7}, generator);
    const Tensor logits = model(tokens);
    EXPECT_EQ(logits.shape(), (Shape{3, 7, 11}));
    const Tensor expected = CrossEntropy(Reshape(logits, {21, 11}), Reshape(targets, {21}));
    EXPECT_NEAR(model.Loss(tokens, targets).Item(), expected.Item(), 1e-5);
  }
}

TEST(Gpt, ACacheGivesTheSameLogits) {
  for (const GptConfig& config : {kSmall, SmallNanoGpt(), EveryBias()}) {
    Generator generator(4);
    Gpt model(config, generator);
    const Tensor tokens = RandInt(0, 11, {2, 9}, generator);
    NoGrad no_grad;
    const std::vector<float> expected = model(tokens).ToVector<float>();
    for (const std::vector<int64_t>& chunks : std::vector<std::vector<int64_t>>{
             {9}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {4, 1, 3, 1}, {1, 8}}) {
      GptCache cache(config);
      std::vector<Tensor> logits;
      int64_t begin = 0;
      for (int64_t chunk : chunks) {
        logits.push_back(model(Slice(tokens, 1, begin, begin + chunk), &cache));
        begin += chunk;
        EXPECT_EQ(cache.length(), begin);
      }
      EXPECT_THAT(Concat(logits, 1).ToVector<float>(), Pointwise(FloatNear(1e-5f), expected));
      EXPECT_EQ(ErrorOf([&] { model(Slice(tokens, 1, 0, 1), &cache); }),
                "[Gpt] tokens: the context is 9 positions; 9 are in the cache and 1 were given");
      cache.Clear();
      EXPECT_THAT(model(tokens, &cache).ToVector<float>(), Pointwise(FloatNear(1e-5f), expected));
    }
  }
}

TEST(Gpt, ALaterTokenChangesNothingBefore) {
  Generator generator(4);
  Gpt model(kSmall, generator);
  NoGrad no_grad;
  const Tensor one = FromValues<int64_t>({1, 2, 3, 4, 5}, {1, 5});
  const Tensor other = FromValues<int64_t>({1, 2, 3, 9, 5}, {1, 5});
  const Tensor a = model(one), b = model(other);
  EXPECT_EQ(Slice(a, 1, 0, 3).ToVector<float>(), Slice(b, 1, 0, 3).ToVector<float>());
  EXPECT_NE(Slice(a, 1, 3, 4).ToVector<float>(), Slice(b, 1, 3, 4).ToVector<float>());
}

double StdOf(const Tensor& x) {
  double sum = 0;
  for (double value : x.ToVector<float>()) sum += value * value;
  return std::sqrt(sum / static_cast<double>(x.numel()));
}

TEST(Gpt, ResidualProjectionsStartSmaller) {
  for (GptInit init : {GptInit::kCourse, GptInit::kGpt2}) {
    Generator generator(4);
    const GptConfig config = {
        .vocab = 65, .context = 64, .width = 96, .heads = 3, .layers = 8, .init = init};
    Gpt model(config, generator);
    for (int64_t i = 0; i < config.layers; ++i) {
      EXPECT_NEAR(StdOf(model.blocks[i].attn.proj.weight), 0.02 / 4, 0.02 / 4 * 0.05);
      EXPECT_NEAR(StdOf(model.blocks[i].mlp.proj.weight), 0.02 / 4, 0.02 / 4 * 0.05);
    }
    const bool gpt2 = init == GptInit::kGpt2;
    EXPECT_NEAR(StdOf(model.tok.weight), gpt2 ? 0.02 : 1, gpt2 ? 0.001 : 0.05);
    EXPECT_NEAR(StdOf(model.pos.weight), gpt2 ? 0.02 : 1, gpt2 ? 0.001 : 0.05);
    const double uniform = 1 / std::sqrt(3.0 * 96);
    EXPECT_NEAR(StdOf(model.blocks[7].attn.qkv.weight), gpt2 ? 0.02 : uniform, 0.003);
    EXPECT_NEAR(StdOf(model.blocks[7].mlp.fc.weight), gpt2 ? 0.02 : uniform, 0.003);
    EXPECT_NEAR(StdOf(model.head.weight), gpt2 ? 0.02 : uniform, 0.003);
    EXPECT_EQ(StdOf(model.blocks[7].mlp.fc.bias) == 0, gpt2);
  }
}

TEST(Gpt, StartsNearTheUniformGuess) {
  Generator generator(4);
  GptConfig config = *GptConfig::Preset("nanogpt-cpu");
  Gpt model(config, generator);
  NoGrad no_grad;
  const Tensor tokens = RandInt(0, 65, {4, 64}, generator);
  const Tensor targets = RandInt(0, 65, {4, 64}, generator);
  EXPECT_NEAR(model.Loss(tokens, targets).Item(), std::log(65.0), 0.1);
}

// The gradients of one batch, by name.
std::vector<std::vector<float>> Gradients(const GptConfig& config, double* loss) {
  Generator generator(4), dropout(5);
  Gpt model(config, generator, &dropout);
  const Tensor tokens = RandInt(0, config.vocab, {3, 5}, generator);
  const Tensor value = model.Loss(tokens, tokens);
  *loss = value.Item();
  Backward(value);
  std::vector<std::vector<float>> gradients;
  for (const Tensor& parameter : model.Parameters()) {
    gradients.push_back(parameter.grad().ToVector<float>());
  }
  return gradients;
}

TEST(Gpt, RecomputationGivesTheSameBits) {
  for (const DType compute : {DType::kFloat32, DType::kBFloat16}) {
    GptConfig config = kSmall;
    config.dropout = 0.3;
    config.compute_dtype = compute;
    double kept_loss, recomputed_loss;
    const auto kept = Gradients(config, &kept_loss);
    config.recompute = true;
    EXPECT_EQ(Gradients(config, &recomputed_loss), kept);
    EXPECT_EQ(recomputed_loss, kept_loss);
  }
}

TEST(Gpt, RecomputationKeepsLessForBackward) {
  GptConfig config = *GptConfig::Preset("course");
  const auto peak = [&](bool recompute) {
    config.recompute = recompute;
    Generator generator(4);
    Gpt model(config, generator);
    const Tensor tokens = RandInt(0, config.vocab, {8, 64}, generator);
    const int64_t before = GetMemoryStats().current_bytes;
    const Tensor loss = model.Loss(tokens, tokens);
    return GetMemoryStats().current_bytes - before;
  };
  EXPECT_LT(peak(true), peak(false) / 3);
}

TEST(Gpt, InBFloat16IsNearFloat32) {
  GptConfig config = kSmall;
  double exact, rounded;
  const auto expected = Gradients(config, &exact);
  config.compute_dtype = DType::kBFloat16;
  const auto gradients = Gradients(config, &rounded);
  EXPECT_NE(rounded, exact);
  EXPECT_NEAR(rounded, exact, 0.01);
  for (size_t i = 0; i < gradients.size(); ++i) {
    double error = 0, size = 0;
    for (size_t j = 0; j < gradients[i].size(); ++j) {
      error += std::pow(gradients[i][j] - expected[i][j], 2);
      size += std::pow(expected[i][j], 2);
    }
    EXPECT_LT(std::sqrt(error), 0.03 * std::sqrt(size)) << i;
  }
}

class Calls : public nn::Observer {
 public:
  void OnCall(const std::string& path, const char*, const TensorList&,
              const Tensor& output) override {
    calls.push_back(path + " " + output.shape().ToString());
  }
  std::vector<std::string> calls;
};

TEST(Gpt, AnObserverSeesTheStreamAfterEveryStage) {
  Generator generator(4);
  GptConfig config = kSmall;
  config.layers = 1;
  Gpt model(config, generator);
  Calls observer;
  {
    const nn::Observer::Scope scope(observer);
    model(Zeros({2, 5}, DType::kInt64));
  }
  EXPECT_THAT(observer.calls, testing::ElementsAre(
                                  "tok (2, 5, 12)", "dropout (2, 5, 12)", "blocks.0.ln1 (2, 5, 12)",
                                  "blocks.0.attn.qkv (2, 5, 36)", "blocks.0.attn.proj (2, 5, 12)",
                                  "blocks.0.attn (2, 5, 12)", "blocks.0.dropout (2, 5, 12)",
                                  "blocks.0.ln2 (2, 5, 12)", "blocks.0.mlp.fc (2, 5, 48)",
                                  "blocks.0.mlp.proj (2, 5, 12)", "blocks.0.mlp (2, 5, 12)",
                                  "blocks.0.dropout (2, 5, 12)", "blocks.0 (2, 5, 12)",
                                  "lnf (2, 5, 12)", "head (2, 5, 11)", " (2, 5, 11)"));
}

}  // namespace
}  // namespace lemma::models
