// Every stream of tests/testdata/torch_random*.json, bit for bit, and a few words of seed 1234.
#include <openssl/sha.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace lemma {
namespace {

using nlohmann::json;

json Read(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path << " is not there";
  return json::parse(file);
}

std::string Sha256(const void* data, size_t bytes) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(static_cast<const unsigned char*>(data), bytes, digest);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

template <typename T>
std::string Sha256(const std::vector<T>& values) {
  return Sha256(values.data(), values.size() * sizeof(T));
}

// Equal in every bit; `expected` is a list of numbers or the sha256 of the values' bytes.
template <typename T>
void ExpectSame(const std::vector<T>& drawn, const json& expected) {
  if (expected.is_string()) {
    EXPECT_EQ(Sha256(drawn), expected.get<std::string>());
    return;
  }
  const std::vector<T> values = expected.get<std::vector<T>>();
  ASSERT_EQ(drawn.size(), values.size());
  EXPECT_EQ(Sha256(drawn), Sha256(values));
  EXPECT_EQ(drawn, values);
}

// The draws below, as lists. T is the type of the tensor that they stand for.
template <typename T>
std::vector<T> Uniform(Generator& g, size_t n, double low = 0, double high = 1) {
  std::vector<T> out(n);
  g.Uniform(absl::MakeSpan(out), low, high);
  return out;
}

template <typename T>
std::vector<T> Normal(Generator& g, size_t n, double mean = 0, double std = 1) {
  std::vector<T> out(n);
  g.Normal(absl::MakeSpan(out), mean, std);
  return out;
}

std::vector<int64_t> RandInt(Generator& g, size_t n, int64_t low, int64_t high) {
  std::vector<int64_t> out(n);
  g.RandInt(absl::MakeSpan(out), low, high);
  return out;
}

std::vector<int64_t> RandPerm(Generator& g, size_t n) {
  std::vector<int64_t> out(n);
  g.RandPerm(absl::MakeSpan(out));
  return out;
}

std::vector<float> Exponential(Generator& g, size_t n, double lambda) {
  std::vector<float> out(n);
  g.Exponential(absl::MakeSpan(out), lambda);
  return out;
}

std::vector<float> Bernoulli(Generator& g, size_t n, double p) {
  std::vector<float> out(n);
  g.Bernoulli(absl::MakeSpan(out), p);
  return out;
}

std::vector<int64_t> Multinomials(Generator& g, const std::vector<float>& p, int draws) {
  std::vector<int64_t> out;
  for (int i = 0; i < draws; ++i) out.push_back(g.Multinomial(p));
  return out;
}

std::vector<float> Dropout(Generator& g, size_t n, double p) {
  std::vector<float> out = Bernoulli(g, n, 1.0 - p);
  for (float& x : out) x /= static_cast<float>(1.0 - p);
  return out;
}

// The summary of a tensor that is too long to be listed.
void ExpectSummary(const std::vector<float>& drawn, const json& summary) {
  EXPECT_EQ(Sha256(drawn), summary["sha256"].get<std::string>());
  const std::vector<float> first = summary["first"];
  const std::vector<float> last = summary["last"];
  EXPECT_EQ(std::vector<float>(drawn.begin(), drawn.begin() + first.size()), first);
  EXPECT_EQ(std::vector<float>(drawn.end() - last.size(), drawn.end()), last);
}

void ExpectLinear(Generator& g, const json& linear, size_t in, size_t out) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(in));
  ExpectSummary(Uniform<float>(g, out * in, -bound, bound), linear["weight"]);
  ExpectSummary(Uniform<float>(g, out, -bound, bound), linear["bias"]);
}

using Check = std::function<void(Generator&, const json&)>;

// What each entry of a stream of torch_random.json was drawn with, from a fresh seed.
const std::map<std::string, Check>& Checks() {
  static const auto* checks = new std::map<std::string, Check>{
      {"rand_5", [](Generator& g, const json& j) { ExpectSame(Uniform<float>(g, 5), j); }},
      {"rand_20", [](Generator& g, const json& j) { ExpectSame(Uniform<float>(g, 20), j); }},
      {"rand_5_f64", [](Generator& g, const json& j) { ExpectSame(Uniform<double>(g, 5), j); }},
      {"randn_5", [](Generator& g, const json& j) { ExpectSame(Normal<float>(g, 5), j); }},
      {"randn_5_then_5",
       [](Generator& g, const json& j) {
         std::vector<float> drawn = Normal<float>(g, 5);
         for (float x : Normal<float>(g, 5)) drawn.push_back(x);
         ExpectSame(drawn, j);
       }},
      {"randn_15", [](Generator& g, const json& j) { ExpectSame(Normal<float>(g, 15), j); }},
      {"randn_16", [](Generator& g, const json& j) { ExpectSame(Normal<float>(g, 16), j); }},
      {"randn_20", [](Generator& g, const json& j) { ExpectSame(Normal<float>(g, 20), j); }},
      {"randn_33", [](Generator& g, const json& j) { ExpectSame(Normal<float>(g, 33), j); }},
      {"randn_20_f64", [](Generator& g, const json& j) { ExpectSame(Normal<double>(g, 20), j); }},
      {"randint_0_65_12",
       [](Generator& g, const json& j) { ExpectSame(RandInt(g, 12, 0, 65), j); }},
      {"randint_0_1115330_12",
       [](Generator& g, const json& j) { ExpectSame(RandInt(g, 12, 0, 1115330), j); }},
      {"randperm_8", [](Generator& g, const json& j) { ExpectSame(RandPerm(g, 8), j); }},
      {"randperm_100", [](Generator& g, const json& j) { ExpectSame(RandPerm(g, 100), j); }},
      {"uniform_-0.25_0.25_6",
       [](Generator& g, const json& j) { ExpectSame(Uniform<float>(g, 6, -0.25, 0.25), j); }},
      {"normal_0_0.02_20",
       [](Generator& g, const json& j) { ExpectSame(Normal<float>(g, 20, 0, 0.02), j); }},
      {"exponential_6", [](Generator& g, const json& j) { ExpectSame(Exponential(g, 6, 1), j); }},
      {"bernoulli_0.9_20",
       [](Generator& g, const json& j) { ExpectSame(Bernoulli(g, 20, 0.9), j); }},
      {"multinomial_1_of_0.1_0.2_0.3_0.4_20_draws",
       [](Generator& g, const json& j) {
         ExpectSame(Multinomials(g, {0.1f, 0.2f, 0.3f, 0.4f}, 20), j);
       }},
      {"linear_32_16", [](Generator& g, const json& j) { ExpectLinear(g, j, 32, 16); }},
      {"embedding_65_32",
       [](Generator& g, const json& j) { ExpectSummary(Normal<float>(g, 65 * 32), j); }},
      {"dropout_0.1_ones_4x8",
       [](Generator& g, const json& j) { ExpectSame(Dropout(g, 32, 0.1), j); }},
  };
  return *checks;
}

TEST(RandomAgreesWithTorch, EveryStreamBitForBit) {
  const json file = Read("tests/testdata/torch_random.json");
  ASSERT_EQ(file["streams"].size(), 5u);
  for (const json& stream : file["streams"]) {
    const uint64_t seed = stream["seed"];
    EXPECT_EQ(stream.size(), Checks().size() + 1);
    for (const auto& [name, expected] : stream.items()) {
      if (name == "seed") continue;
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << name);
      const auto check = Checks().find(name);
      ASSERT_NE(check, Checks().end()) << "no check of this name";
      Generator generator(seed);
      check->second(generator, expected);
    }
  }
}

std::string StateSha256(const Generator& generator) {
  const std::string state = generator.State();
  return Sha256(state.data(), state.size());
}

class MoreStreams : public testing::Test {
 protected:
  // Calls `check` with each stream and a generator of its seed.
  void ForEach(const std::function<void(Generator, const json&)>& check) {
    ASSERT_EQ(file_["streams"].size(), 3u);
    for (const json& stream : file_["streams"]) {
      SCOPED_TRACE(testing::Message() << "seed " << stream["seed"]);
      check(Generator(stream["seed"].get<uint64_t>()), stream);
    }
  }

  const json file_ = Read("tests/testdata/torch_random_more.json");
};

TEST_F(MoreStreams, StatesHaveTorchsBytes) {
  ForEach([](Generator fresh, const json& stream) {
    EXPECT_EQ(StateSha256(fresh), stream["state"]);
    Generator g = fresh;
    Normal<float>(g, 3);
    EXPECT_EQ(StateSha256(g), stream["state_after_randn_3"]);
    g = fresh;
    Uniform<float>(g, 624);
    EXPECT_EQ(StateSha256(g), stream["state_after_rand_624"]);
    g = fresh;
    Normal<float>(g, 1001);
    EXPECT_EQ(StateSha256(g), stream["state_after_randn_1001"]);
  });
}

TEST_F(MoreStreams, NormalAndUniformOfAnySizeMeanAndType) {
  ForEach([](const Generator& fresh, const json& stream) {
    Generator g = fresh;
    ExpectSame(Normal<float>(g, 1000003), stream["randn_1000003"]);
    g = fresh;
    ExpectSame(Normal<float>(g, 5, -0.7, 2.1), stream["normal_-0.7_2.1_5"]);
    g = fresh;
    ExpectSame(Normal<float>(g, 10007, -0.7, 2.1), stream["normal_-0.7_2.1_10007"]);
    g = fresh;
    ExpectSame(Normal<double>(g, 5, -0.7, 2.1), stream["normal_f64_-0.7_2.1_5"]);
    g = fresh;
    ExpectSame(Normal<double>(g, 20, -0.7, 2.1), stream["normal_f64_-0.7_2.1_20"]);
    g = fresh;
    ExpectSame(Uniform<float>(g, 10007, -0.3, 1.4), stream["uniform_-0.3_1.4_10007"]);
    g = fresh;
    ExpectSame(Uniform<double>(g, 10007, -0.3, 1.4), stream["uniform_f64_-0.3_1.4_10007"]);
  });
}

TEST_F(MoreStreams, ExponentialBernoulliAndRandPerm) {
  ForEach([](const Generator& fresh, const json& stream) {
    Generator g = fresh;
    ExpectSame(Exponential(g, 20, 2.5), stream["exponential_2.5_20"]);
    g = fresh;
    ExpectSame(Bernoulli(g, 40, 0.3), stream["bernoulli_0.3_40"]);
    g = fresh;
    ExpectSame(RandPerm(g, 1000), stream["randperm_1000"]);
  });
}

TEST_F(MoreStreams, RandIntOfNarrowAndWideRanges) {
  ForEach([](const Generator& fresh, const json& stream) {
    ASSERT_EQ(stream["randint"].size(), 5u);
    for (const json& draw : stream["randint"]) {
      Generator g = fresh;
      ExpectSame(RandInt(g, 6, draw["low"], draw["high"]), draw["values"]);
    }
  });
}

TEST_F(MoreStreams, MultinomialWithAndWithoutReplacement) {
  const std::vector<float> p = file_["probabilities"];
  ForEach([&](const Generator& fresh, const json& stream) {
    Generator g = fresh;
    ExpectSame(g.Multinomial(p, 4, /*replacement=*/false), stream["multinomial_4_of_7"]);
    g = fresh;
    ExpectSame(g.Multinomial(p, 30, /*replacement=*/true),
               stream["multinomial_30_of_7_with_replacement"]);
    g = fresh;
    std::vector<int64_t> singles;
    for (int i = 0; i < 10; ++i) singles.push_back(g.Multinomial(p, 1, /*replacement=*/true)[0]);
    ExpectSame(singles, stream["multinomial_1_of_7_with_replacement_10_draws"]);
  });
}

std::vector<uint32_t> Bits(const std::vector<float>& values, const std::vector<size_t>& places) {
  std::vector<uint32_t> bits;
  for (size_t place : places) bits.push_back(std::bit_cast<uint32_t>(values.at(place)));
  return bits;
}

using Words = std::vector<uint32_t>;
using Ints = std::vector<int64_t>;

// Found with PyTorch 1.13.1 too.
TEST(Seed1234, WordsAndUniforms) {
  Generator g(1234);
  EXPECT_EQ((Words{g.Random(), g.Random(), g.Random(), g.Random()}),
            (Words{822569775, 2137449171, 2671936806, 3512589365}));
  g.ManualSeed(1234);
  EXPECT_EQ(g.Random64(), (uint64_t{822569775} << 32) | 2137449171);
  g.ManualSeed(1234);
  EXPECT_EQ(Bits(Uniform<float>(g, 4), {0, 1, 2, 3}),
            (Words{0x3ced65e0, 0x3ecdc5a6, 0x3e850a4c, 0x3ebbb86a}));
}

TEST(Seed1234, Normals) {
  Generator g(1234);
  EXPECT_EQ(Bits(Normal<float>(g, 3), {0, 1, 2}), (Words{0x3d3cf34c, 0x3ece07be, 0xbf8179c9}));
  g.ManualSeed(1234);
  EXPECT_EQ(Bits(Normal<float>(g, 17), {0, 1, 8, 16}),
            (Words{0xbde4ccb4, 0xbdbd013f, 0x3f230cb5, 0xc021bfdc}));
}

TEST(Seed1234, ParametersOfLinearAndEmbedding) {
  Generator g(1234);
  const double bound = 1.0 / std::sqrt(128.0);
  EXPECT_EQ(Bits(Uniform<float>(g, 65 * 128, -bound, bound), {0, 1, 2}),
            (Words{0xbdaa8719, 0xbc8e10e9, 0xbd2de432}));
  EXPECT_EQ(Bits(Uniform<float>(g, 65, -bound, bound), {0, 1}), (Words{0x3b7c4169, 0xbc93293c}));
  g.ManualSeed(1234);
  EXPECT_EQ(Bits(Normal<float>(g, 65 * 128), {0, 1, 2}),
            (Words{0xbde4ccb4, 0xbefe410f, 0x3e26fccb}));
}

TEST(Seed1234, IntegersPermutationsAndCategories) {
  Generator g(1234);
  EXPECT_EQ(RandInt(g, 6, 0, 100), (Ints{75, 71, 6, 65, 16, 64}));
  g.ManualSeed(1234);
  EXPECT_EQ(RandPerm(g, 6), (Ints{3, 2, 4, 5, 1, 0}));
  g.ManualSeed(1234);
  EXPECT_EQ(Multinomials(g, std::vector<float>(65, 1.0f / 65.0f), 3), (Ints{25, 39, 29}));
}

TEST(Seed1234, DropoutDropsThreeOfForty) {
  Generator g(1234);
  const std::vector<float> kept = Dropout(g, 40, 0.1);
  std::vector<size_t> dropped;
  for (size_t i = 0; i < kept.size(); ++i) {
    if (kept[i] == 0.0f) dropped.push_back(i);
  }
  EXPECT_EQ(dropped, (std::vector<size_t>{9, 30, 35}));
}

}  // namespace
}  // namespace lemma
