#include "autograd/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/error.h"
#include "autograd/mt19937.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::vector<float> Normal(Generator& g, size_t n) {
  std::vector<float> out(n);
  g.Normal(absl::MakeSpan(out));
  return out;
}

// A generator with this engine.
Generator GeneratorOf(const Mt19937& engine) {
  std::string state = Generator(0).State();
  const int32_t left = engine.left();
  const uint64_t next = engine.next();
  std::memcpy(&state[8], &left, sizeof(left));
  std::memcpy(&state[16], &next, sizeof(next));
  for (size_t i = 0; i < engine.words().size(); ++i) {
    const uint64_t word = engine.words()[i];
    std::memcpy(&state[24 + 8 * i], &word, sizeof(word));
  }
  Generator generator(0);
  EXPECT_TRUE(generator.SetState(state).ok());
  return generator;
}

// How many words of the stream `draw` takes.
int64_t WordsTaken(const std::function<void(Generator&)>& draw) {
  Generator drawn(99);
  draw(drawn);
  const uint32_t after = drawn.Random();
  Mt19937 engine(99);
  for (int64_t count = 0; count < 10000; ++count) {
    if (engine.Next() == after) return count;
  }
  return -1;
}

TEST(Generator, CopiesContinueWithTheSameNumbers) {
  Generator a(5);
  Normal(a, 3);
  Generator b = a;
  EXPECT_EQ(Normal(a, 20), Normal(b, 20));
  EXPECT_EQ(Normal(a, 1), Normal(b, 1));
  EXPECT_EQ(a.State(), b.State());
}

TEST(Generator, ManualSeedForgetsEverything) {
  Generator g(5);
  Normal(g, 3);
  g.ManualSeed((uint64_t{1} << 40) + 6);
  EXPECT_EQ(g.seed(), (uint64_t{1} << 40) + 6);
  EXPECT_EQ(g.State(), Generator((uint64_t{1} << 40) + 6).State());
}

TEST(Generator, TakesAsManyWordsAsTheHeaderSays) {
  std::vector<float> f(21);
  std::vector<double> d(21);
  std::vector<int64_t> i(21);
  EXPECT_EQ(WordsTaken([](Generator& g) { g.Random(); }), 1);
  EXPECT_EQ(WordsTaken([](Generator& g) { g.Random64(); }), 2);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Uniform(absl::MakeSpan(f)); }), 21);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Uniform(absl::MakeSpan(d)); }), 42);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Normal(absl::MakeSpan(f)); }), 21 + 16);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Normal(absl::MakeSpan(d)); }), 42 + 32);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Normal(absl::MakeSpan(f).first(16)); }), 16);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Normal(absl::MakeSpan(f).first(15)); }), 32);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.RandInt(absl::MakeSpan(i), 0, 1 << 28); }), 42);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.RandInt(absl::MakeSpan(i), 1, 1 << 28); }), 21);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.RandPerm(absl::MakeSpan(i)); }), 20);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Exponential(absl::MakeSpan(f)); }), 42);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Bernoulli(absl::MakeSpan(f), 0.5); }), 42);
  const std::vector<float> p(21, 1.0f);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Multinomial(p); }), 42);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Multinomial(p, 3, false); }), 42);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Multinomial(p, 1, true); }), 42);
  EXPECT_EQ(WordsTaken([&](Generator& g) { g.Multinomial(p, 3, true); }), 6);
}

TEST(Generator, NothingIsTakenForNothing) {
  EXPECT_EQ(WordsTaken([](Generator& g) {
              g.Uniform(absl::Span<float>());
              g.Normal(absl::Span<float>());
              g.Normal(absl::Span<double>());
              g.RandInt(absl::Span<int64_t>(), 0, 5);
              g.RandPerm(absl::Span<int64_t>());
              g.Bernoulli(absl::Span<bool>(), 0.5);
              g.Exponential(absl::Span<float>());
            }),
            0);
}

TEST(Generator, KeptNormalSurvivesAllOtherDraws) {
  Generator a(8);
  Generator b(8);
  const std::vector<float> pair = Normal(a, 2);
  EXPECT_EQ(Normal(b, 1)[0], pair[0]);
  Normal(b, 16);
  std::array<float, 20> f;
  std::array<double, 20> d;
  std::array<int64_t, 20> i;
  b.Random();
  b.Uniform(absl::MakeSpan(f));
  b.Uniform(absl::MakeSpan(d));
  b.Normal(absl::MakeSpan(d));
  b.RandInt(absl::MakeSpan(i), 0, 9);
  b.RandPerm(absl::MakeSpan(i));
  b.Exponential(absl::MakeSpan(f));
  b.Bernoulli(absl::MakeSpan(f), 0.5);
  b.Multinomial({0.5f, 0.5f});
  EXPECT_EQ(Normal(b, 1)[0], pair[1]);
}

TEST(Generator, LongNormalHasMeanAndDeviation) {
  Generator g(17);
  std::vector<float> x(1000000);
  g.Normal(absl::MakeSpan(x), 2.0, 0.5);
  const double n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double variance = 0.0;
  for (float v : x) variance += (v - mean) * (v - mean) / n;
  EXPECT_NEAR(mean, 2.0, 5 * 0.5 / std::sqrt(n));
  EXPECT_NEAR(variance, 0.25, 5 * 0.25 * std::sqrt(2.0 / n));
}

TEST(Generator, UniformStaysInItsBounds) {
  Generator g(18);
  std::vector<float> x(100000);
  g.Uniform(absl::MakeSpan(x), -3.0, 5.0);
  EXPECT_GE(*std::min_element(x.begin(), x.end()), -3.0f);
  EXPECT_LE(*std::max_element(x.begin(), x.end()), 5.0f);
  g.Uniform(absl::MakeSpan(x), 1.5, 1.5);
  EXPECT_EQ(x, std::vector<float>(x.size(), 1.5f));
}

TEST(Generator, RandIntCoversTheWholeRangeOfInt64) {
  Generator g(19);
  std::vector<int64_t> x(1000);
  g.RandInt(absl::MakeSpan(x), std::numeric_limits<int64_t>::min(),
            std::numeric_limits<int64_t>::max());
  EXPECT_LT(*std::min_element(x.begin(), x.end()), -(int64_t{1} << 61));
  EXPECT_GT(*std::max_element(x.begin(), x.end()), int64_t{1} << 61);
}

TEST(Generator, RandPermIsAPermutation) {
  Generator g(20);
  std::vector<int64_t> x(777);
  g.RandPerm(absl::MakeSpan(x));
  EXPECT_FALSE(std::is_sorted(x.begin(), x.end()));
  std::sort(x.begin(), x.end());
  for (int64_t i = 0; i < 777; ++i) EXPECT_EQ(x[i], i);
}

TEST(Generator, BernoulliIsTheSameInEveryType) {
  Generator a(21);
  Generator b(21);
  Generator c(21);
  std::array<float, 100> floats;
  std::array<uint8_t, 100> bytes;
  std::array<bool, 100> bools;
  a.Bernoulli(absl::MakeSpan(floats), 0.4);
  b.Bernoulli(absl::MakeSpan(bytes), 0.4);
  c.Bernoulli(absl::MakeSpan(bools), 0.4);
  for (size_t i = 0; i < floats.size(); ++i) {
    EXPECT_EQ(floats[i], bools[i] ? 1.0f : 0.0f);
    EXPECT_EQ(bytes[i], bools[i] ? 1 : 0);
  }
  a.Bernoulli(absl::MakeSpan(floats), 0.0);
  EXPECT_EQ(*std::max_element(floats.begin(), floats.end()), 0.0f);
  a.Bernoulli(absl::MakeSpan(floats), 1.0);
  EXPECT_EQ(*std::min_element(floats.begin(), floats.end()), 1.0f);
}

TEST(Generator, MultinomialFollowsTheProbabilities) {
  const std::vector<float> p = {3.0f, 0.0f, 5.0f, 2.0f};
  Generator g(22);
  std::array<int, 4> counts = {};
  for (int i = 0; i < 20000; ++i) ++counts[g.Multinomial(p)];
  std::array<int, 4> replaced = {};
  for (int64_t i : g.Multinomial(p, 20000, true)) ++replaced[i];
  for (int i = 0; i < 4; ++i) {
    const double share = p[i] / 10.0;
    const double bound = 5 * std::sqrt(20000 * share * (1 - share));
    EXPECT_NEAR(counts[i], 20000 * share, bound) << i;
    EXPECT_NEAR(replaced[i], 20000 * share, bound) << i;
  }
}

TEST(Generator, MultinomialGivesTheFirstOfSeveralWithoutReplacement) {
  Generator draws(25);
  std::vector<float> p(65);
  for (int i = 0; i < 2000; ++i) {
    // Of all sizes, to those that have few bits.
    draws.Uniform(absl::MakeSpan(p), -140.0f, 0.0f);
    const float least = i % 2 == 0 ? -140.0f : -3.0f;
    for (float& x : p) x = std::exp2(std::max(x, least)) * (i % 4 == 0 ? 1e-36f : 1.0f);
    p[i % 65] = 0.0f;
    Generator one(i), several(i);
    EXPECT_EQ(one.Multinomial(p), several.Multinomial(p, 2, false)[0]) << i;
  }
}

TEST(Generator, MultinomialNeverGivesWhatIsImpossible) {
  // The next two words are 0, so that the first category has q = 0 and p / q is 0 / 0.
  std::array<uint32_t, Mt19937::kWords> words;
  words.fill(0x12345678);
  words[1] = words[2] = 0;
  const Mt19937 engine(0, 624, 1, words);
  EXPECT_EQ(GeneratorOf(engine).Random64(), 0u);
  EXPECT_EQ(GeneratorOf(engine).Multinomial({0.0f, 1.0f}), 1);
  EXPECT_EQ(GeneratorOf(engine).Multinomial({1.0f, 1.0f}), 0);
}

TEST(Generator, MultinomialWithoutReplacementGivesEachPossibleCategoryOnce) {
  const std::vector<float> p = {0.1f, 0.0f, 1e-30f, 7.0f, 0.0f};
  Generator g(23);
  for (int i = 0; i < 100; ++i) {
    std::vector<int64_t> drawn = g.Multinomial(p, 3, false);
    std::sort(drawn.begin(), drawn.end());
    EXPECT_EQ(drawn, (std::vector<int64_t>{0, 2, 3}));
  }
}

void ExpectError(const std::function<void(Generator&)>& call, const std::string& text) {
  Generator g(24);
  try {
    call(g);
    ADD_FAILURE() << "nothing was thrown; expected: " << text;
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), text);
  }
  EXPECT_EQ(g.State(), Generator(24).State()) << "something was drawn: " << text;
}

TEST(Generator, WrongCallsSayWhatIsWrongAndDrawNothing) {
  std::vector<float> f(4);
  std::vector<double> d(4);
  std::vector<int64_t> i(4);
  const auto floats = absl::MakeSpan(f);
  ExpectError([&](Generator& g) { g.Uniform(floats, 2, 1); },
              "[uniform] low, high: must be finite, low not above high; they are 2 and 1");
  ExpectError([&](Generator& g) { g.Uniform(floats, 0, 1e300); },
              "[uniform] low, high: must be finite, low not above high; they are 0 and inf");
  ExpectError([&](Generator& g) { g.Uniform(absl::MakeSpan(d), kNaN, 1); },
              "[uniform] low, high: must be finite, low not above high; they are nan and 1");
  ExpectError([&](Generator& g) { g.Normal(floats, 0, -1); },
              "[normal] mean, std: must be finite, std not negative; they are 0 and -1");
  ExpectError([&](Generator& g) { g.Normal(floats, kNaN, 1); },
              "[normal] mean, std: must be finite, std not negative; they are nan and 1");
  ExpectError([&](Generator& g) { g.RandInt(absl::MakeSpan(i), 7, 7); },
              "[randint] low: must be below high; low is 7, high is 7");
  ExpectError([&](Generator& g) { g.Exponential(floats, 0); },
              "[exponential] lambda: must be finite and above 0; it is 0");
  ExpectError([&](Generator& g) { g.Exponential(floats, kInf); },
              "[exponential] lambda: must be finite and above 0; it is inf");
  ExpectError([&](Generator& g) { g.Bernoulli(floats, 1.5); },
              "[bernoulli] p: must be in [0, 1]; it is 1.5");
  ExpectError([&](Generator& g) { g.Bernoulli(floats, kNaN); },
              "[bernoulli] p: must be in [0, 1]; it is nan");
}

TEST(Generator, WrongProbabilitiesSayWhatIsWrongAndDrawNothing) {
  const std::string finite =
      "[multinomial] probabilities: must be finite and not negative; number ";
  ExpectError([](Generator& g) { g.Multinomial({0.5f, -1.0f}); }, finite + "1 is -1");
  ExpectError([](Generator& g) { g.Multinomial({static_cast<float>(kNaN)}); }, finite + "0 is nan");
  ExpectError(
      [](Generator& g) {
        g.Multinomial({0.0f, static_cast<float>(kInf)}, 2, true);
      },
      finite + "1 is inf");
  ExpectError(
      [](Generator& g) {
        g.Multinomial({0.0f, 0.0f});
      },
      "[multinomial] probabilities: one must be above 0; all 2 are 0");
  ExpectError([](Generator& g) { g.Multinomial({}); },
              "[multinomial] probabilities: one must be above 0; all 0 are 0");
  ExpectError(
      [](Generator& g) {
        g.Multinomial({3e38f, 3e38f});
      },
      "[multinomial] probabilities: their sum must be a finite float; it is 6e+38");
  ExpectError([](Generator& g) { g.Multinomial({1.0f}, 0, true); },
              "[multinomial] n: must be at least 1; it is 0");
  ExpectError(
      [](Generator& g) {
        g.Multinomial({1.0f, 0.0f, 2.0f}, 3, false);
      },
      "[multinomial] n: at most 2 of the 3 categories can be drawn without replacement, "
      "those with p > 0; n is 3");
}

}  // namespace
}  // namespace lemma
