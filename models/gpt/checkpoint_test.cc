#include "models/gpt/checkpoint.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "autograd/create.h"
#include "autograd/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/gpt/config.h"
#include "models/gpt/gpt.h"
#include "nn/checkpoint.h"
#include "nn/safetensors.h"

namespace lemma::models {
namespace {

using ::testing::HasSubstr;

const GptConfig kSmall = {.vocab = 11, .context = 6, .width = 12, .heads = 3, .layers = 2};

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void WriteAll(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

class GptCheckpointTest : public testing::Test {
 protected:
  GptCheckpointTest()
      : path_(testing::TempDir() + "/gpt_" +
              testing::UnitTest::GetInstance()->current_test_info()->name() + ".safetensors") {}

  std::vector<float> LogitsOf(Gpt& model) {
    NoGrad no_grad;
    return model(FromValues<int64_t>({1, 10, 0, 3}, {1, 4})).ToVector<float>();
  }
  // The message of reading path_ and making a model of it.
  std::string MessageOf(const nn::Checkpoint& checkpoint) {
    EXPECT_EQ(nn::SaveCheckpoint(path_, checkpoint), absl::OkStatus());
    const absl::StatusOr<GptCheckpoint> loaded = LoadGptCheckpoint(path_);
    if (!loaded.ok()) return std::string(loaded.status().message());
    return std::string(MakeGpt(*loaded).status().message());
  }

  const std::string path_;
  Generator generator_{2};
  Gpt model_{kSmall, generator_};
};

TEST_F(GptCheckpointTest, ComesBackToTheBit) {
  GptConfig tied = kSmall;
  tied.tied_head = true;
  tied.bias = tied.norm_bias = false;
  for (const GptConfig& config : {kSmall, tied}) {
    for (bool course_names : {false, true}) {
      Gpt model(config, generator_);
      ASSERT_EQ(nn::SaveCheckpoint(path_, MakeGptCheckpoint(model, "ab\u00e9\n", course_names)),
                absl::OkStatus());
      const absl::StatusOr<GptCheckpoint> loaded = LoadGptCheckpoint(path_);
      ASSERT_TRUE(loaded.ok()) << loaded.status();
      EXPECT_TRUE(loaded->config == config);
      EXPECT_EQ(loaded->alphabet, "ab\u00e9\n");
      absl::StatusOr<std::unique_ptr<Gpt>> copy = MakeGpt(*loaded);
      ASSERT_TRUE(copy.ok()) << copy.status();
      EXPECT_EQ(LogitsOf(**copy), LogitsOf(model));
      EXPECT_EQ((*copy)->head.weight.IsSameAs((*copy)->tok.weight), config.tied_head);
    }
  }
}

TEST_F(GptCheckpointTest, AValueThatIsNotFiniteIsNamed) {
  nn::Checkpoint checkpoint = MakeGptCheckpoint(model_, "");
  for (nn::NamedTensor& named : checkpoint.tensors) {
    if (named.name == "blocks.1.ln2.weight") named.value.mutable_data<float>()[5] = NAN;
  }
  EXPECT_EQ(CheckFinite({.contents = checkpoint}).message(),
            "the parameter blocks.1.ln2.weight is nan at element 5 of its 12, and every value must "
            "be finite; take a checkpoint from before the training broke down");
  EXPECT_EQ(MessageOf(checkpoint), "");  // whoever counts its parameters need not care
  checkpoint.tensors.push_back({"optimizer.exp_avg.tok.weight", Full({2}, INFINITY)});
  for (nn::NamedTensor& named : checkpoint.tensors) {
    if (named.name == "blocks.1.ln2.weight") named.value.mutable_data<float>()[5] = 1;
  }
  EXPECT_EQ(CheckFinite({.contents = checkpoint}), absl::OkStatus());  // Adam's is not the model's
}

TEST_F(GptCheckpointTest, CourseNamesAreOneMatrixPerHead) {
  std::vector<std::string> names;
  for (const nn::NamedTensor& named : MakeGptCheckpoint(model_, "", true).tensors) {
    names.push_back(named.name);
    if (named.name == "blocks.1.attn.heads.2.query.weight") {
      EXPECT_EQ(named.value.shape(), (Shape{4, 12}));
    }
  }
  EXPECT_THAT(names, testing::Contains("blocks.1.attn.heads.2.query.weight"));
  EXPECT_THAT(names, testing::Not(testing::Contains("blocks.1.attn.qkv.weight")));
}

TEST_F(GptCheckpointTest, WhatATrainerAddsIsLeftAlone) {
  nn::Checkpoint saved = MakeGptCheckpoint(model_, "");
  saved.Add(kOptimizerPrefix, {{"exp_avg.lnf.weight", Zeros({12})}});
  saved.metadata["step"] = "17";
  EXPECT_EQ(MessageOf(saved), "");
  const absl::StatusOr<GptCheckpoint> loaded = LoadGptCheckpoint(path_);
  EXPECT_EQ(loaded->contents.metadata.at("step"), "17");
  EXPECT_EQ(loaded->contents.WithPrefix(kOptimizerPrefix).size(), 1u);
}

TEST_F(GptCheckpointTest, DropoutIsForTrainingOnly) {
  GptConfig config = kSmall;
  config.dropout = 0.5;
  Generator dropout(3);
  Gpt model(config, generator_, &dropout);
  ASSERT_EQ(nn::SaveCheckpoint(path_, MakeGptCheckpoint(model, "")), absl::OkStatus());
  const GptCheckpoint loaded = *LoadGptCheckpoint(path_);
  EXPECT_EQ(loaded.config.dropout, 0.5);
  EXPECT_EQ((*MakeGpt(loaded))->config().dropout, 0);
  EXPECT_EQ((*MakeGpt(loaded, &dropout))->config().dropout, 0.5);
}

TEST_F(GptCheckpointTest, AnotherModelsParametersAreListed) {
  nn::Checkpoint saved = MakeGptCheckpoint(model_, "");
  saved.tensors[0].value = Zeros({11, 13});  // tok.weight
  saved.tensors[1].name = "positions";       // pos.weight
  EXPECT_EQ(MessageOf(saved),
            "the parameters do not fit the Gpt; missing: pos.weight; unexpected: positions; of "
            "another shape: tok.weight is (11, 13), the model's is (11, 12)");
}

TEST_F(GptCheckpointTest, LoadingIntoAModelOfOtherSizesChangesNothing) {
  ASSERT_EQ(nn::SaveCheckpoint(path_, MakeGptCheckpoint(model_, "")), absl::OkStatus());
  GptConfig wide = kSmall;
  wide.width = 24;
  Gpt other(wide, generator_);
  const std::vector<float> before = LogitsOf(other);
  const absl::Status status = LoadParameters(*LoadGptCheckpoint(path_), other);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("tok.weight is (11, 12), the model's is (11, 24)"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(" more"));
  EXPECT_EQ(LogitsOf(other), before);
}

TEST_F(GptCheckpointTest, OtherFilesAreNamed) {
  EXPECT_EQ(MessageOf({.tensors = {{"x", Zeros({2})}}}),
            path_ + ": there is no \"config\" in its metadata, so it is not a GPT of this program");
  nn::Checkpoint saved = MakeGptCheckpoint(model_, "");
  saved.metadata["config"] = "{";
  EXPECT_EQ(MessageOf(saved), path_ + ": the GPT config is not readable: it is not a JSON object");

  GptConfig huge = kSmall;
  huge.width = 24'000;
  saved.metadata["config"] = huge.ToJson();
  EXPECT_THAT(MessageOf(saved), testing::StartsWith("the config asks for "));

  WriteAll(path_, "PK\x03\x04 not a checkpoint");
  EXPECT_THAT(std::string(LoadGptCheckpoint(path_).status().message()), HasSubstr(path_));
  EXPECT_THAT(std::string(LoadGptCheckpoint(path_ + ".none").status().message()),
              HasSubstr(path_ + ".none"));
}

TEST_F(GptCheckpointTest, ATypeThatTensorsLackIsNamed) {
  const uint8_t bytes[2] = {1, 2};
  const std::vector<nn::SafetensorsTensor> tensors = {
      {"tok.weight", nn::SafetensorsDType::kU8, {2}, bytes}};
  ASSERT_EQ(nn::WriteSafetensors(path_, tensors, {{"config", kSmall.ToJson()}}), absl::OkStatus());
  EXPECT_EQ(LoadGptCheckpoint(path_).status().message(),
            path_ +
                ": tensor tok.weight has elements of type U8; those that can be read are F32, "
                "F64, BF16, I32, I64 and BOOL");
}

TEST_F(GptCheckpointTest, ACutFileIsAnError) {
  ASSERT_EQ(nn::SaveCheckpoint(path_, MakeGptCheckpoint(model_, "")), absl::OkStatus());
  const std::string whole = ReadAll(path_);
  const std::string cut = path_ + ".cut";
  for (size_t length = 0; length < whole.size(); length += 1 + length / 8) {
    WriteAll(cut, whole.substr(0, length));
    EXPECT_FALSE(LoadGptCheckpoint(cut).ok()) << length;
  }
}

TEST_F(GptCheckpointTest, AnyBytesInTheHeaderAreSurvived) {
  ASSERT_EQ(nn::SaveCheckpoint(path_, MakeGptCheckpoint(model_, "")), absl::OkStatus());
  const std::string whole = ReadAll(path_);
  const size_t header = whole.find("lnf.weight") + 100;
  ASSERT_LT(header, whole.size());
  const std::string changed = path_ + ".changed";
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    std::string bytes = whole;
    const uint32_t word = generator_.Random();
    bytes[word % header] = static_cast<char>(word >> 24);
    WriteAll(changed, bytes);
    const absl::StatusOr<GptCheckpoint> loaded = LoadGptCheckpoint(changed);
    refused += !loaded.ok() || !MakeGpt(*loaded).ok();
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace lemma::models
