// Generator::State and SetState.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/types/span.h"
#include "autograd/random.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

std::vector<float> Normal(Generator& g, size_t n) {
  std::vector<float> out(n);
  g.Normal(absl::MakeSpan(out));
  return out;
}

template <typename T>
T At(const std::string& bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <typename T>
std::string With(std::string bytes, size_t offset, T value) {
  return bytes.replace(offset, sizeof(T), reinterpret_cast<const char*>(&value), sizeof(T));
}

// Offsets in the layout of a state.
constexpr size_t kLeft = 8, kSeeded = 12, kNext = 16, kWords = 24, kNormal = 5024,
                 kNormalKept = 5040, kFloat = 5048, kFloatKept = 5052;

TEST(GeneratorState, HasTorchsLayout) {
  Generator g((uint64_t{9} << 32) | 1234);
  std::string fresh = g.State();
  EXPECT_EQ(fresh.size(), 5056u);
  EXPECT_EQ(At<uint64_t>(fresh, 0), (uint64_t{9} << 32) | 1234);
  EXPECT_EQ(At<int32_t>(fresh, kLeft), 1);
  EXPECT_EQ(At<int32_t>(fresh, kSeeded), 1);
  EXPECT_EQ(At<uint64_t>(fresh, kNext), 0u);
  EXPECT_EQ(At<uint64_t>(fresh, kWords), 1234u);
  EXPECT_EQ(At<int32_t>(fresh, kNormalKept), 0);

  Normal(g, 3);
  const std::string drawn = g.State();
  EXPECT_EQ(At<int32_t>(drawn, kLeft), 617);
  EXPECT_EQ(At<uint64_t>(drawn, kNext), 8u);
  EXPECT_EQ(At<int32_t>(drawn, kNormalKept), 1);
  EXPECT_EQ(static_cast<float>(At<double>(drawn, kNormal)), Normal(g, 1)[0]);
}

TEST(GeneratorState, RoundTripsAtAnyPlaceOfTheStream) {
  Generator g(31);
  for (size_t n : {0, 3, 20, 600, 1, 1, 624, 5}) {
    Normal(g, n);
    Generator copy(0);
    ASSERT_TRUE(copy.SetState(g.State()).ok());
    EXPECT_EQ(copy.State(), g.State());
    EXPECT_EQ(copy.seed(), 31u);
    Generator original = g;
    EXPECT_EQ(Normal(copy, 3), Normal(original, 3));
    EXPECT_EQ(Normal(copy, 700), Normal(original, 700));
  }
}

TEST(GeneratorState, KeepsTorchsFloat) {
  const std::string state =
      With<uint8_t>(With<float>(Generator(1).State(), kFloat, 0.5f), kFloatKept, 1);
  Generator g(0);
  ASSERT_TRUE(g.SetState(state).ok());
  EXPECT_EQ(g.State(), state);
  EXPECT_EQ(g.Random(), Generator(1).Random());
}

TEST(GeneratorState, RefusesWhatNoGeneratorHasWritten) {
  Generator source(32);
  Normal(source, 3);
  const std::string good = source.State();
  std::string zeros = good;
  std::fill(zeros.begin() + kWords, zeros.begin() + kWords + 624 * 8, '\0');
  const struct {
    std::string bytes;
    const char* text;
  } cases[] = {
      {"", "given 0 bytes, expected 5056"},
      {good.substr(1), "given 5055 bytes, expected 5056"},
      {good + "x", "given 5057 bytes, expected 5056"},
      {With<int32_t>(good, kSeeded, 0), "`seeded` is 0, expected 1"},
      {With<int32_t>(good, kLeft, 616), "`left` is 616 and `next` is 8, expected 1 and 0, or"},
      {With<int32_t>(good, kLeft, -1), "`left` is -1 and `next` is 8"},
      {With<uint64_t>(good, kNext, 625), "`left` is 617 and `next` is 625"},
      {With<uint64_t>(good, kNext, ~uint64_t{0}), "`next` is 18446744073709551615"},
      {With<uint64_t>(With<int32_t>(good, kLeft, 0), kNext, 625), "`left` is 0 and `next` is 625"},
      {With<uint64_t>(good, kWords + 8, uint64_t{1} << 32), "word 1 is 4294967296, expected less"},
      {zeros, "all 624 words are 0"},
      {With<int32_t>(good, kNormalKept, 2), "the flag of the kept normal is 2, expected 0 or 1"},
      {With<double>(good, kNormal, kNaN), "the kept normal is nan, expected a finite number"},
      {With<uint8_t>(good, kFloatKept, 7), "the flag of the kept float is 7, expected 0 or 1"},
      {With<uint8_t>(With<float>(good, kFloat, kInf), kFloatKept, 1),
       "the kept float is inf, expected a finite number"},
  };
  for (const auto& [bytes, text] : cases) {
    Generator g(33);
    const absl::Status status = g.SetState(bytes);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_TRUE(absl::StrContains(status.message(), text)) << status.message();
    EXPECT_TRUE(absl::StrContains(status.message(), "give bytes that Generator::State"));
    EXPECT_EQ(g.State(), Generator(33).State()) << "changed by " << text;
  }
}

}  // namespace
}  // namespace lemma
