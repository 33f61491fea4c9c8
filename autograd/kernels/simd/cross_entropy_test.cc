#include "autograd/kernels/simd/cross_entropy.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/kernels/reference/cross_entropy.h"
#include "autograd/kernels/simd/testing.h"
#include "gtest/gtest.h"

namespace lemma::kernels::simd {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kIgnore = -100;

std::vector<int64_t> Targets(int64_t rows, int64_t classes) {
  std::vector<int64_t> targets(rows);
  for (int64_t r = 0; r < rows; ++r) targets[r] = r % 5 == 4 ? kIgnore : (r * 7 + 3) % classes;
  return targets;
}

TEST(CrossEntropy, AgreesWithTheReference) {
  ForEachTarget([&] {
    for (const int64_t classes : kOddSizes) {
      for (const double smoothing : {0.0, 0.1}) {
        for (const int64_t stride : {0, 1}) {
          SCOPED_TRACE(testing::Message() << classes << " classes, smoothing " << smoothing);
          const int64_t rows = 11;
          const auto logits = RandomFloats(rows * classes, 3.0f);
          const auto scale = RandomFloats(rows, 1.0f, 2);
          const auto targets = Targets(rows, classes);
          std::vector<float> loss(rows), lse(rows), dlogits(logits.size());
          CrossEntropyForward(rows, classes, logits.data(), targets.data(), kIgnore, smoothing,
                              loss.data(), lse.data());
          CrossEntropyBackward(rows, classes, logits.data(), targets.data(), kIgnore, smoothing,
                               lse.data(), scale.data(), stride, dlogits.data());
          const auto logits_d = Cast<double>(logits), scale_d = Cast<double>(scale);
          std::vector<double> loss_d(rows), lse_d(rows), dlogits_d(logits.size());
          reference::CrossEntropyForward<double>(rows, classes, logits_d.data(), targets.data(),
                                                 kIgnore, smoothing, loss_d.data(), lse_d.data());
          reference::CrossEntropyBackward<double>(rows, classes, logits_d.data(), targets.data(),
                                                  kIgnore, smoothing, lse_d.data(), scale_d.data(),
                                                  stride, dlogits_d.data());
          ExpectClose(loss, loss_d, 1e-6, 1e-6);
          ExpectClose(lse, lse_d, 1e-6, 1e-6);
          ExpectClose(dlogits, dlogits_d, 1e-6, 1e-6);
        }
      }
    }
  });
}

TEST(CrossEntropy, TheGradientMayOverwriteTheLogits) {
  const auto logits = RandomFloats(3 * 65, 3.0f);
  const auto targets = Targets(3, 65);
  std::vector<float> loss(3), lse(3), apart(logits.size()), in_place = logits;
  const float scale = 0.5f;
  CrossEntropyForward(3, 65, logits.data(), targets.data(), kIgnore, 0.1, loss.data(), lse.data());
  CrossEntropyBackward(3, 65, logits.data(), targets.data(), kIgnore, 0.1, lse.data(), &scale, 0,
                       apart.data());
  CrossEntropyBackward(3, 65, in_place.data(), targets.data(), kIgnore, 0.1, lse.data(), &scale, 0,
                       in_place.data());
  EXPECT_EQ(in_place, apart);
}

TEST(CrossEntropy, MinusInfinityIsFineAndNanIsNan) {
  ForEachTarget([&] {
    const std::vector<float> logits = {-kInfinity, 0.0f, 0.0f, std::nanf(""), 0.0f, 0.0f};
    const std::vector<int64_t> targets = {1, 1};
    std::vector<float> loss(2), lse(2), dlogits(6);
    const float scale = 1.0f;
    CrossEntropyForward(2, 3, logits.data(), targets.data(), kIgnore, 0, loss.data(), lse.data());
    CrossEntropyBackward(2, 3, logits.data(), targets.data(), kIgnore, 0, lse.data(), &scale, 0,
                         dlogits.data());
    EXPECT_NEAR(loss[0], std::log(2.0), 1e-6);
    EXPECT_EQ(dlogits[0], 0.0f);
    EXPECT_NEAR(dlogits[1], -0.5, 1e-6);
    EXPECT_TRUE(std::isnan(loss[1]));
    EXPECT_TRUE(std::isnan(dlogits[4]));
  });
}

TEST(CrossEntropy, SameBitsForAnyNumberOfThreads) {
  const auto logits = RandomFloats(301 * 65, 3.0f);
  const auto targets = Targets(301, 65);
  const float scale = 1.0f;
  ExpectSameBitsForAnyThreads([&] {
    std::vector<float> loss(301), lse(301), dlogits(logits.size());
    CrossEntropyForward(301, 65, logits.data(), targets.data(), kIgnore, 0.1, loss.data(),
                        lse.data());
    CrossEntropyBackward(301, 65, logits.data(), targets.data(), kIgnore, 0.1, lse.data(), &scale,
                         0, dlogits.data());
    dlogits.insert(dlogits.end(), loss.begin(), loss.end());
    return dlogits;
  });
}

}  // namespace
}  // namespace lemma::kernels::simd
