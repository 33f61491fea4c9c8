#include "tools/figures/attention_maps.h"

#include <cstdint>
#include <vector>

#include "autograd/create.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"

namespace lemma::tools {
namespace {

constexpr int64_t kTime = 7;

models::GptConfig Config() {
  return {.vocab = 11, .context = 8, .width = 12, .heads = 3, .layers = 2};
}

std::vector<Tensor> Maps(models::Gpt& model, int64_t batch = 1) {
  Generator generator(5);
  return ObserveAttention(model, RandInt(0, 11, {batch, kTime}, generator));
}

TEST(ObserveAttention, GivesOneStochasticTriangleAHead) {
  Generator generator(0);
  models::Gpt model(Config(), generator);
  const std::vector<Tensor> maps = Maps(model, 2);
  ASSERT_EQ(maps.size(), 2u);
  for (const Tensor& map : maps) {
    ASSERT_EQ(map.shape(), (Shape{2, 3, kTime, kTime}));
    EXPECT_FALSE(map.requires_grad());
    const std::vector<float> weights = map.ToVector<float>();
    for (size_t row = 0; row < weights.size() / kTime; ++row) {
      float sum = 0;
      for (size_t j = 0; j < kTime; ++j) {
        const float weight = weights[row * kTime + j];
        EXPECT_EQ(weight > 0, j <= row % kTime);
        sum += weight;
      }
      EXPECT_NEAR(sum, 1, 1e-6);
    }
  }
}

TEST(ChosenHeads, AllOneLayerOneHeadOrOne) {
  EXPECT_EQ(ChosenHeads(Config(), {}).value().size(), 6u);
  EXPECT_EQ(ChosenHeads(Config(), {.layer = 1}).value().size(), 3u);
  EXPECT_EQ(ChosenHeads(Config(), {.head = 2}).value().size(), 2u);
  const std::vector<HeadIndex> one = ChosenHeads(Config(), {.layer = 1, .head = 2}).value();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].layer, 1);
  EXPECT_EQ(one[0].head, 2);
}

TEST(ChosenHeads, NamesTheRange) {
  EXPECT_EQ(ChosenHeads(Config(), {.layer = 2}).status().message(),
            "--layer=2: the model has layers 0 to 1; -1 shows all");
  EXPECT_EQ(ChosenHeads(Config(), {.head = 3}).status().message(),
            "--head=3: the model has heads 0 to 2; -1 shows all");
  EXPECT_FALSE(ChosenHeads(Config(), {.layer = -2}).ok());
}

TEST(HeadPanels, HoldTheMatrixOfTheHeadThatTheyName) {
  Generator generator(0);
  models::Gpt model(Config(), generator);
  const std::vector<Tensor> maps = Maps(model);
  const MatrixFigure figure = HeadPanels(maps, ChosenHeads(Config(), {}).value());
  ASSERT_EQ(figure.panels.size(), 6u);
  EXPECT_EQ(figure.columns, 3);
  EXPECT_EQ(figure.panels[5].title, "layer 1, head 2");
  const std::vector<float> layer = maps[1].ToVector<float>();
  EXPECT_EQ(figure.panels[5].weights, std::vector<float>(layer.end() - kTime * kTime, layer.end()));
  // One head of every layer stands in one row.
  EXPECT_EQ(HeadPanels(maps, ChosenHeads(Config(), {.head = 0}).value()).columns, 2);
}

}  // namespace
}  // namespace lemma::tools
