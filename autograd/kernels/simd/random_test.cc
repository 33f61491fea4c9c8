#include "autograd/kernels/simd/random.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "autograd/kernels/reference/random.h"
#include "gtest/gtest.h"

namespace lemma::kernels {
namespace {

std::vector<uint32_t> Words(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<uint32_t> words(count);
  for (uint32_t& word : words) word = engine();
  return words;
}

std::vector<float> Uniforms(size_t count, uint32_t seed) {
  std::vector<float> uniforms(count);
  reference::Uniform(Words(count, seed).data(), count, 0.0f, 1.0f, uniforms.data());
  return uniforms;
}

// The first place where the bits differ, or the size.
size_t FirstDifference(const std::vector<float>& a, const std::vector<float>& b) {
  size_t i = 0;
  while (i < a.size() && std::bit_cast<uint32_t>(a[i]) == std::bit_cast<uint32_t>(b[i])) ++i;
  return i;
}

TEST(SimdUniform, HasTheReferencesBitsAtAnySizeAndBounds) {
  std::mt19937 sizes(1);
  for (int round = 0; round < 300; ++round) {
    const size_t count = sizes() % 300;
    const float low = static_cast<float>(sizes() % 1000) / -333.0f;
    const float high = low + static_cast<float>(sizes() % 1000) / 77.0f;
    const std::vector<uint32_t> words = Words(count, sizes());
    // One place more, which must stay as it is.
    std::vector<float> fast(count + 1, -1e9f);
    std::vector<float> slow(count + 1, -1e9f);
    simd::Uniform(words.data(), count, low, high, fast.data());
    reference::Uniform(words.data(), count, low, high, slow.data());
    ASSERT_EQ(FirstDifference(fast, slow), count + 1) << low << " " << high;
  }
}

TEST(SimdUniform, ExtremeWordsStayBelowOne) {
  const std::vector<uint32_t> words = {0, 0xffffffff, 0xff000000, 0x00ffffff, 1,
                                       0, 0,          0,          0xffffffff};
  std::vector<float> out(words.size());
  simd::Uniform(words.data(), words.size(), 0.0f, 1.0f, out.data());
  EXPECT_EQ(out, (std::vector<float>{0.0f, 0x1.fffffep-1f, 0.0f, 0x1.fffffep-1f, 0x1p-24f, 0.0f,
                                     0.0f, 0.0f, 0x1.fffffep-1f}));
}

TEST(SimdBoxMuller, HasTheReferencesBitsAtAnySize) {
  std::mt19937 sizes(2);
  for (int round = 0; round < 200; ++round) {
    const size_t blocks = sizes() % 40;
    const float mean = static_cast<float>(sizes() % 1000) / 500.0f - 1.0f;
    const float std = static_cast<float>(sizes() % 1000) / 300.0f;
    std::vector<float> fast = Uniforms(16 * blocks, sizes());
    fast.push_back(-1e9f);
    std::vector<float> slow = fast;
    simd::BoxMuller(fast.data(), blocks, mean, std);
    reference::BoxMuller(slow.data(), blocks, mean, std);
    ASSERT_EQ(FirstDifference(fast, slow), fast.size()) << mean << " " << std;
  }
}

TEST(SimdBoxMuller, HasTheReferencesBitsOnAMillionNumbers) {
  std::vector<float> fast = Uniforms(1 << 20, 3);
  std::vector<float> slow = fast;
  simd::BoxMuller(fast.data(), fast.size() / 16, 0.0f, 1.0f);
  reference::BoxMuller(slow.data(), slow.size() / 16, 0.0f, 1.0f);
  EXPECT_EQ(FirstDifference(fast, slow), fast.size());
}

TEST(SimdBoxMuller, HasTheReferencesBitsAtTheEdges) {
  const float edges[] = {0.0f,        0x1p-24f,  0x1p-23f,      0.125f,          0.25f,
                         0.29289321f, 0.292893f, 0.375f,        0.5f - 0x1p-24f, 0.5f + 0x1p-24f,
                         0.5f,        0.75f,     0x1.fffffep-1f};
  std::vector<float> fast;
  for (float a : edges) {
    for (float b : edges) {
      fast.insert(fast.end(), 8, a);
      fast.insert(fast.end(), 8, b);
    }
  }
  std::vector<float> slow = fast;
  simd::BoxMuller(fast.data(), fast.size() / 16, 0.0f, 1.0f);
  reference::BoxMuller(slow.data(), slow.size() / 16, 0.0f, 1.0f);
  EXPECT_EQ(FirstDifference(fast, slow), fast.size());
}

TEST(ReferenceBoxMuller, IsTheFormulaToTheRoundingOfFloats) {
  const std::vector<float> uniforms = Uniforms(1 << 16, 4);
  std::vector<float> normals = uniforms;
  reference::BoxMuller(normals.data(), normals.size() / 16, 0.0f, 1.0f);
  for (size_t block = 0; block < uniforms.size(); block += 16) {
    for (size_t j = block; j < block + 8; ++j) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - double{uniforms[j]}));
      const double theta = 2.0 * std::numbers::pi * double{uniforms[j + 8]};
      ASSERT_NEAR(normals[j], radius * std::cos(theta), 3e-6);
      ASSERT_NEAR(normals[j + 8], radius * std::sin(theta), 3e-6);
    }
  }
}

}  // namespace
}  // namespace lemma::kernels
