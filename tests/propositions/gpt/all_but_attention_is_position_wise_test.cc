#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Attention is the only path between positions: LayerNorms, MLPs and the "
                  "unembedding map each row of the stream by itself.",
     .source = "Step 5, 5.1-5.3",
     .exact = "bitwise: other values in one row change no bit of the other rows"});

constexpr uint64_t kSeed = 22;

using Layer = std::function<Tensor(const Tensor& x)>;  // (B, T, C) -> (B, T, ...)

// How many elements outside of row t change when row t does.
int64_t BitsOfOtherRows(const Layer& layer, const models::GptConfig& config, Generator& generator) {
  const NoGrad no_grad;
  const int64_t length = config.context, t = RandomInteger(0, length - 1, generator);
  const Tensor x = RandN({2, length, config.width}, generator);
  const Tensor noise = RandN({2, 1, config.width}, generator);
  const Tensor other = x + PadSlice(noise, x.shape(), 1, t);
  const Tensor before = layer(x), after = layer(other);
  return CountDifferentBits(Slice(before, 1, 0, t), Slice(after, 1, 0, t)) +
         CountDifferentBits(Slice(before, 1, t + 1), Slice(after, 1, t + 1));
}

Measurement OtherRows(const std::string& name, const Layer& layer, const models::GptConfig& config,
                      Generator& generator) {
  int64_t bits = 0;
  for (int i = 0; i < 10; ++i) bits += BitsOfOtherRows(layer, config, generator);
  return Exactly(name + ": elements of other rows that change", static_cast<double>(bits), 0);
}

class PositionWise : public testing::Test {
 protected:
  PositionWise() : model_(CourseConfig(), generator_) { std::cout << "seed " << kSeed << '\n'; }

  Measurement Check(const std::string& name, const Layer& layer) {
    return OtherRows(name, layer, model_.config(), generator_);
  }

  Generator generator_{kSeed};
  models::Gpt model_;
};

TEST_F(PositionWise, Holds) {
  models::Block& block = model_.blocks[0];
  ExpectHolds(
      {Check("MLP after LayerNorm", [&](const Tensor& x) { return x + block.mlp(block.ln2(x)); }),
       Check("unembedding after the last LayerNorm",
             [&](const Tensor& x) { return model_.head(model_.lnf(x)); })});
}

TEST_F(PositionWise, GoesRedForAttention) {
  models::Block& block = model_.blocks[0];
  ExpectBroken(Check("attention", [&](const Tensor& x) { return block.attn(block.ln1(x)); }));
}

TEST_F(PositionWise, GoesRedForANormOverPositions) {
  ExpectBroken(Check("less the mean over positions",
                     [](const Tensor& x) { return x - Mean(x, {1}, /*keepdim=*/true); }));
}

}  // namespace
}  // namespace lemma::propositions
