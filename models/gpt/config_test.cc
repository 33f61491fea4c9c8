#include "models/gpt/config.h"

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "autograd/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"

namespace lemma::models {
namespace {

using ::testing::HasSubstr;

int64_t ModulesCount(const GptConfig& config) {
  Generator generator(0), dropout_generator(1);
  return Gpt(config, generator, &dropout_generator).NumParameters();
}

TEST(GptConfig, PresetsHaveTheirSizes) {
  const auto count = [](const char* name) { return ParameterFormula(*GptConfig::Preset(name)); };
  EXPECT_EQ(count("course"), 816'640);
  EXPECT_EQ(count("nanogpt-cpu"), 804'096);
  EXPECT_EQ(count("nanogpt-gpu"), 10'745'088);
  EXPECT_EQ(count("gpt2"), 124'439'808);
  EXPECT_EQ(ModulesCount(*GptConfig::Preset("course")), 816'640);
  EXPECT_EQ(ModulesCount(*GptConfig::Preset("nanogpt-cpu")), 804'096);
  EXPECT_EQ(ModulesCount(*GptConfig::Preset("nanogpt-gpu")), 10'745'088);
  for (const std::string& name : GptConfig::PresetNames()) {
    EXPECT_TRUE(GptConfig::Preset(name)->Validate().ok()) << name;
  }
  EXPECT_EQ(GptConfig::Preset("gpt3").status().message(),
            "there is no preset \"gpt3\"; there are course, nanogpt-cpu, nanogpt-gpu, gpt2");
}

// At C = 128, L = 4 the 12 L C^2 rule says 786,432; the blocks have 5,120 more.
TEST(GptConfig, TheRuleOfThumbMissesBiasesAndLayerNorms) {
  Generator generator(0);
  const GptConfig config;
  Gpt model(config, generator);
  int64_t blocks = 0;
  for (int64_t i = 0; i < config.layers; ++i) blocks += model.blocks[i].NumParameters();
  EXPECT_EQ(12 * config.layers * config.width * config.width, 786'432);
  EXPECT_EQ(blocks, 786'432 + 5'120);
}

TEST(GptConfig, FormulaAndModulesAgreeForRandomConfigs) {
  Generator generator(11);
  const auto draw = [&](int64_t low, int64_t high) {
    int64_t value = 0;
    generator.RandInt(absl::MakeSpan(&value, 1), low, high);
    return value;
  };
  for (int i = 0; i < 60; ++i) {
    GptConfig config;
    config.vocab = draw(1, 40);
    config.context = draw(1, 30);
    config.heads = draw(1, 5);
    config.width = config.heads * draw(1, 6);
    config.layers = draw(1, 4);
    config.tied_head = draw(0, 2) == 1;
    config.head_bias = draw(0, 2) == 1;
    config.qkv_bias = draw(0, 2) == 1;
    config.bias = draw(0, 2) == 1;
    config.norm_bias = draw(0, 2) == 1;
    config.init = draw(0, 2) == 1 ? GptInit::kGpt2 : GptInit::kCourse;
    EXPECT_EQ(ModulesCount(config), ParameterFormula(config)) << config.ToJson();
  }
}

TEST(GptConfig, SizesThatMakeNoSenseAreNamed) {
  const auto message = [](auto change) {
    GptConfig config;
    change(config);
    return std::string(config.Validate().message());
  };
  EXPECT_EQ(message([](GptConfig&) {}), "");
  EXPECT_EQ(message([](GptConfig& c) { c.vocab = 0; }),
            "vocab must be between 1 and 16777216; it is 0");
  EXPECT_EQ(message([](GptConfig& c) { c.layers = -3; }),
            "layers must be between 1 and 16777216; it is -3");
  EXPECT_EQ(message([](GptConfig& c) { c.context = int64_t{1} << 40; }),
            "context must be between 1 and 16777216; it is 1099511627776");
  EXPECT_EQ(message([](GptConfig& c) { c.heads = 3; }),
            "width must be a multiple of heads; they are 128 and 3");
  EXPECT_EQ(message([](GptConfig& c) { c.dropout = 1; }), "dropout must be in [0, 1); it is 1");
  EXPECT_THAT(message([](GptConfig& c) { c.dropout = 0.0 / 0.0; }), HasSubstr("dropout must be"));
  // The count of these is beyond 2^63.
  EXPECT_THAT(message([](GptConfig& c) { c.width = int64_t{1} << 24, c.layers = 4000; }),
              HasSubstr("more than this program trains"));
}

TEST(GptConfig, JsonRoundTrip) {
  for (const std::string& name : GptConfig::PresetNames()) {
    const GptConfig config = *GptConfig::Preset(name);
    const absl::StatusOr<GptConfig> read = GptConfig::FromJson(config.ToJson());
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(*read == config) << name;
  }
  // Every field makes a difference.
  GptConfig other = {.vocab = 3, .context = 5, .width = 14, .heads = 7, .layers = 2};
  other.tied_head = other.head_bias = other.qkv_bias = other.gelu_tanh = true;
  other.bias = other.norm_bias = false;
  other.dropout = 0.1;
  other.init = GptInit::kGpt2;
  EXPECT_TRUE(*GptConfig::FromJson(other.ToJson()) == other);
}

TEST(GptConfig, OtherJsonIsRefusedInASentence) {
  const std::string good = GptConfig{}.ToJson();
  const auto refused = [](const std::string& json) {
    const absl::StatusOr<GptConfig> config = GptConfig::FromJson(json);
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << json;
    return std::string(config.status().message());
  };
  const auto changed = [&](const char* from, const char* to) {
    const std::string json = absl::StrReplaceAll(good, {{from, to}});
    EXPECT_NE(json, good) << from;
    return refused(json);
  };
  const std::string start = "the GPT config is not readable: ";
  EXPECT_EQ(refused(""), start + "it is not a JSON object");
  EXPECT_EQ(refused("[]"), start + "it is not a JSON object");
  EXPECT_EQ(refused("{}"), start + "\"model\" is not \"gpt\"");
  EXPECT_EQ(refused(std::string(100'000, ' ')), start + "it is too long");
  EXPECT_EQ(refused(std::string(60'000, '[')), start + "it is not a JSON object");
  EXPECT_EQ(changed("\"gpt\"", "\"llama\""), start + "\"model\" is not \"gpt\"");
  EXPECT_EQ(changed("\"vocab\":65", "\"vocab\":65.5"), start + "\"vocab\" is not a whole number");
  EXPECT_EQ(changed("\"vocab\":65", "\"vocab\":\"65\""), start + "\"vocab\" is not a whole number");
  EXPECT_EQ(changed("\"vocab\":65,", ""), start + "\"vocab\" is not a whole number");
  EXPECT_THAT(changed("\"vocab\":65", "\"vocab\":18446744073709551615"), HasSubstr("vocab"));
  EXPECT_THAT(changed("\"vocab\":65", "\"vocab\":-9223372036854775808"), HasSubstr("vocab"));
  EXPECT_EQ(changed("\"tied_head\":false", "\"tied_head\":0"),
            start + "\"tied_head\" is not true or false");
  EXPECT_EQ(changed("\"dropout\":0.0", "\"dropout\":null"), start + "\"dropout\" is not a number");
  EXPECT_THAT(changed("\"dropout\":0.0", "\"dropout\":1e999"), HasSubstr("not a JSON object"));
  EXPECT_EQ(changed("\"course\"", "\"magic\""), start + "\"init\" is not \"course\" or \"gpt2\"");
  EXPECT_EQ(changed("\"heads\":4", "\"heads\":5"),
            start + "width must be a multiple of heads; they are 128 and 5");
  EXPECT_EQ(changed("\"vocab\"", "\"rope\":true,\"vocab\""),
            start + "it has a field that this program does not know, of a newer one perhaps");
}

TEST(GptConfig, AnyBytesAreSurvived) {
  const std::string good = GptConfig{}.ToJson();
  for (size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(GptConfig::FromJson(good.substr(0, length)).ok()) << length;
  }
  Generator generator(3);
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = good;
    const uint32_t word = generator.Random();
    bytes[word % bytes.size()] = static_cast<char>(word >> 24);
    const absl::StatusOr<GptConfig> config = GptConfig::FromJson(bytes);
    EXPECT_TRUE(!config.ok() || config->Validate().ok()) << bytes;
  }
}

}  // namespace
}  // namespace lemma::models
