// What the tests of the vector kernels share: running on each target that the processor has, with
// several numbers of threads, random inputs and comparisons.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_TESTING_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_TESTING_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "autograd/kernels/parallel.h"
#include "gtest/gtest.h"
#include "hwy/targets.h"

namespace lemma::kernels::simd {

// Calls fn() with the best target, with AVX2 as the best and with the baseline alone, each on one
// thread: inputs are small.
template <typename Fn>
void ForEachTarget(const Fn& fn) {
  const int64_t all = hwy::SupportedTargets();
  const int64_t masks[] = {all, all & ~int64_t{HWY_AVX3 | HWY_AVX3_DL},
                           all & ~int64_t{HWY_AVX3 | HWY_AVX3_DL | HWY_AVX2}};
  const int threads = NumThreads();
  SetNumThreads(1);
  for (const int64_t mask : masks) {
    SCOPED_TRACE(testing::Message() << "targets " << mask);
    hwy::GetChosenTarget().Update(mask);
    fn();
  }
  hwy::GetChosenTarget().Update(all);
  SetNumThreads(threads);
}

// Expects that compute(), which returns a vector, gives the same bits for 1, 2 and 3 threads.
template <typename Fn>
void ExpectSameBitsForAnyThreads(const Fn& compute) {
  const int before = NumThreads();
  SetNumThreads(1);
  const auto expected = compute();
  for (const int threads : {2, 3}) {
    SetNumThreads(threads);
    const auto actual = compute();
    ASSERT_EQ(actual.size(), expected.size());
    EXPECT_EQ(std::memcmp(actual.data(), expected.data(), actual.size() * sizeof(actual[0])), 0)
        << threads << " threads";
  }
  SetNumThreads(before);
}

// n normal numbers times `scale`, the same for the same seed.
inline std::vector<float> RandomFloats(int64_t n, float scale = 1.0f, uint32_t seed = 1) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(static_cast<size_t>(n));
  for (float& value : values) value = normal(engine);
  return values;
}

template <typename To, typename From>
std::vector<To> Cast(const std::vector<From>& values) {
  return std::vector<To>(values.begin(), values.end());
}

// Expects |actual - expected| <= absolute + relative * |expected|, NaN where NaN is expected and
// the same infinities.
template <typename A, typename E>
void ExpectClose(const std::vector<A>& actual, const std::vector<E>& expected, double absolute,
                 double relative = 0) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const double a = actual[i], e = expected[i];
    if (std::isnan(e) || std::isinf(e)) {
      EXPECT_TRUE(std::isnan(e) ? std::isnan(a) : a == e) << "at " << i << ": " << a << ", " << e;
      continue;
    }
    const double bound = absolute + relative * std::fabs(e);
    ASSERT_TRUE(std::fabs(a - e) <= bound) << "at " << i << ": " << a << ", expected " << e;
  }
}

// Sizes around the numbers of lanes and of unrolled vectors.
inline constexpr int64_t kOddSizes[] = {1, 2, 7, 15, 16, 17, 31, 63, 64, 65, 130, 257};

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_TESTING_H_
