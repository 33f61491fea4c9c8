#include "tools/trainer.h"

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "autograd/dtype.h"
#include "autograd/tensor.h"
#include "datasets/text_dataset.h"
#include "gtest/gtest.h"
#include "nn/checkpoint.h"
#include "nn/module.h"
#include "tools/train_config.h"

namespace lemma::tools {
namespace {

datasets::TextDataset Text() {
  std::string text;
  for (int i = 0; i < 60; ++i) absl::StrAppend(&text, "line ", i, " of a text\n");
  return *datasets::MakeTextDataset("text", text);
}

TrainConfig SmallConfig(const datasets::TextDataset& data) {
  TrainConfig config = *TrainConfig::Preset("course");
  config.model.vocab = data.tokenizer.size();
  config.model.context = 8;
  config.model.width = 16;
  config.model.heads = 2;
  config.model.layers = 1;
  config.model.dropout = 0.1;
  config.steps = 10;
  config.batch_size = 2;
  config.accumulate = 3;
  return config;
}

// Everything that a resume reads, as text.
std::string StateOf(const Trainer& trainer) {
  const nn::Checkpoint checkpoint = trainer.MakeCheckpoint();
  std::string state;
  for (const nn::NamedTensor& named : checkpoint.tensors) {
    const Tensor dense = named.value.DetachedContiguous();
    absl::StrAppend(&state, named.name, "=");
    state.append(static_cast<const char*>(dense.raw_data()),
                 static_cast<size_t>(dense.numel()) * SizeOf(dense.dtype()));
  }
  for (const auto& [key, value] : checkpoint.metadata) absl::StrAppend(&state, key, "=", value);
  return state;
}

class TrainerTest : public testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Trainer> Make() {
    TrainConfig config = SmallConfig(data_);
    config.overfit_one_batch = GetParam();
    return *Trainer::Create(config, data_);
  }

  const datasets::TextDataset data_ = Text();
};

TEST_P(TrainerTest, AStepThatIsStoppedBetweenItsPassesLeavesNoTrace) {
  const std::unique_ptr<Trainer> whole = Make(), stopped = Make();
  for (int step = 0; step < 2; ++step) {
    const std::string before = StateOf(*stopped);
    int asked = 0;
    EXPECT_FALSE(stopped->StepUnless([&] { return ++asked == 2; }).has_value());
    EXPECT_EQ(asked, 2);
    EXPECT_EQ(stopped->step(), step);
    EXPECT_TRUE(StateOf(*stopped) == before);

    const StepResult expected = whole->Step();
    const std::optional<StepResult> result = stopped->StepUnless([] { return false; });
    ASSERT_TRUE(result.has_value());
    EXPECT_EQ(result->loss, expected.loss);
    EXPECT_TRUE(StateOf(*stopped) == StateOf(*whole));
  }
}

TEST_P(TrainerTest, AStepWhosePassesAreAllMadeIsDone) {
  const std::unique_ptr<Trainer> trainer = Make();
  int asked = 0;
  EXPECT_TRUE(trainer->StepUnless([&] { return ++asked == 3; }).has_value());
  EXPECT_EQ(asked, 2);  // between the passes, not behind the last
}

INSTANTIATE_TEST_SUITE_P(Batches, TrainerTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "OneOverAndOver" : "Random"; });

}  // namespace
}  // namespace lemma::tools
