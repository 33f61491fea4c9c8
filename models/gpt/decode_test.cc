#include "models/gpt/decode.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/op.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "autograd/testing.h"
#include "autograd/threads.h"
#include "gtest/gtest.h"
#include "models/gpt/config.h"
#include "models/gpt/gpt.h"
#include "nn/init.h"
#include "nn/module.h"

namespace lemma::models {
namespace {

constexpr GptConfig kSmall = {.vocab = 11, .context = 9, .width = 24, .heads = 3, .layers = 2};

// Biases that are not 0 and norms that are not 1.
void DrawAll(Gpt& model, Generator& generator) {
  const NoGrad no_grad;
  for (Tensor& parameter : model.Parameters()) nn::init::Normal(parameter, generator, 0.3, 0.5);
}

GptConfig With(void (*change)(GptConfig&)) {
  GptConfig config = kSmall;
  change(config);
  return config;
}

const std::vector<GptConfig>& Configs() {
  static const auto* const configs = new std::vector<GptConfig>{
      kSmall,
      With([](GptConfig& c) { c.qkv_bias = c.head_bias = c.gelu_tanh = true; }),
      With([](GptConfig& c) { c.bias = c.norm_bias = false, c.tied_head = true; }),
      With([](GptConfig& c) { c.width = 2, c.heads = 1, c.layers = 1, c.vocab = 1; }),
      // Wide enough for several threads, and for keys in two blocks.
      With([](GptConfig& c) { c.width = 160, c.heads = 5, c.vocab = 300, c.context = 70; }),
  };
  return *configs;
}

TEST(GptDecoder, HasTheBitsOfForward) {
  const int before = NumThreads();
  for (const GptConfig& config : Configs()) {
    for (int threads : {1, 2, 3}) {
      SetNumThreads(threads);
      Generator generator(5);
      Gpt model(config, generator);
      DrawAll(model, generator);
      const NoGrad no_grad;
      GptDecoder decoder(model);
      ASSERT_TRUE(decoder.CanDecode());
      GptCache cache(config), expected_cache(config);
      const Tensor tokens = RandInt(0, config.vocab, {1, config.context}, generator);
      for (int64_t t = 0; t < config.context; ++t) {
        const Tensor expected = model(Slice(tokens, 1, t, t + 1), &expected_cache);
        const Tensor logits = decoder.Logits(tokens.data<int64_t>()[t], cache);
        ASSERT_EQ(logits.shape(), (Shape{config.vocab}));
        ASSERT_EQ(logits.ToVector<float>(), expected.ToVector<float>())
            << "position " << t << ", " << threads << " threads, " << config.ToJson();
        ASSERT_EQ(cache.length(), t + 1);
      }
    }
  }
  SetNumThreads(before);
}

// A prompt goes through Forward at once, what follows token by token.
TEST(GptDecoder, GoesOnWhereForwardEnded) {
  Generator generator(5);
  Gpt model(kSmall, generator);
  const NoGrad no_grad;
  GptDecoder decoder(model);
  GptCache cache(kSmall), expected_cache(kSmall);
  const Tensor tokens = RandInt(0, kSmall.vocab, {1, 6}, generator);
  model(Slice(tokens, 1, 0, 5), &cache);
  model(Slice(tokens, 1, 0, 5), &expected_cache);
  EXPECT_EQ(decoder.Logits(tokens.data<int64_t>()[5], cache).ToVector<float>(),
            model(Slice(tokens, 1, 5), &expected_cache).ToVector<float>());
}

TEST(GptDecoder, LeavesToTensorsWhatOnlyTheyDo) {
  Generator generator(5), masks(1);
  {
    GptConfig config = kSmall;
    config.dropout = 0.1;
    Gpt model(config, generator, &masks);
    const GptDecoder decoder(model);
    EXPECT_FALSE(decoder.CanDecode());
    model.Eval();
    EXPECT_TRUE(decoder.CanDecode());
    model.blocks[1].attn.Train();
    EXPECT_FALSE(decoder.CanDecode());
  }
  GptConfig mixed = kSmall;
  mixed.compute_dtype = DType::kBFloat16;
  Gpt of_bfloat16(mixed, generator);
  EXPECT_FALSE(GptDecoder(of_bfloat16).CanDecode());

  Gpt model(kSmall, generator);
  const GptDecoder decoder(model);
  EXPECT_TRUE(decoder.CanDecode());
  {
    const AnomalyDetection anomaly;
    EXPECT_FALSE(decoder.CanDecode());
  }
  {
    class : public nn::Observer {
      void OnCall(const std::string&, const char*, const TensorList&, const Tensor&) override {}
    } observer;
    const nn::Observer::Scope scope(observer);
    EXPECT_FALSE(decoder.CanDecode());
  }
  constexpr int64_t c = kSmall.width;
  Tensor& proj = model.blocks[0].mlp.proj.weight;
  for (const Tensor& other : {Transpose(Zeros({4 * c, c}), 0, 1), Zeros({c, 4 * c - 1}), Tensor(),
                              Zeros({c, 4 * c}, DType::kFloat64)}) {
    const Tensor before = std::exchange(proj, other);
    EXPECT_FALSE(decoder.CanDecode());
    proj = before;
    EXPECT_TRUE(decoder.CanDecode());
  }
  model.To(DType::kFloat64);
  EXPECT_FALSE(decoder.CanDecode());
}

TEST(GptDecoder, WrongCallsAreNamed) {
  Generator generator(5);
  Gpt model(kSmall, generator);
  GptDecoder decoder(model);
  GptCache cache(kSmall);
  EXPECT_EQ(ErrorOf([&] { decoder.Logits(0, cache); }),
            "[kv_cache] a cache works under NoGrad only; nothing in it is recorded");
  const NoGrad no_grad;
  EXPECT_EQ(ErrorOf([&] { decoder.Logits(11, cache); }),
            "[Gpt] token: it must be in [0, 11); it is 11");
  EXPECT_EQ(ErrorOf([&] { decoder.Logits(-1, cache); }),
            "[Gpt] token: it must be in [0, 11); it is -1");
  for (int64_t t = 0; t < kSmall.context; ++t) decoder.Logits(t, cache);
  EXPECT_EQ(ErrorOf([&] { decoder.Logits(0, cache); }),
            "[kv_cache] there is room for 9 positions; 9 are held and 1 more were given; Clear() "
            "and fill it anew");
  GptConfig longer = kSmall;
  longer.context = 40;
  GptCache too_large(longer);
  EXPECT_EQ(
      ErrorOf([&] { decoder.Logits(0, too_large); }),
      "[Gpt] cache: it must be of 2 layers with room for 9 positions, as the model; it is of 2 "
      "with room for 40");
  EXPECT_EQ(too_large.length(), 0);
}

TEST(GptDecoder, ACacheOfAnotherTypeIsNamed) {
  Generator generator(5);
  Gpt model(kSmall, generator), in_double(kSmall, generator);
  in_double.To(DType::kFloat64);
  GptCache cache(kSmall);
  const NoGrad no_grad;
  in_double(Zeros({1, 1}, DType::kInt64), &cache);
  GptDecoder decoder(model);
  EXPECT_EQ(ErrorOf([&] { decoder.Logits(0, cache); }),
            "[kv_cache] keys: the cache was filled with float64; these are float32");
  EXPECT_EQ(cache.length(), 1);
}

}  // namespace
}  // namespace lemma::models
