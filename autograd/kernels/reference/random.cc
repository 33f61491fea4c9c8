#include "autograd/kernels/reference/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace lemma::kernels::reference {
namespace {

// Cephes logf for x > 0: log(2^e m) with m in [sqrt(1/2), sqrt(2)).
float Log(float x) {
  x = std::max(x, std::numeric_limits<float>::min());
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  float e = static_cast<float>(static_cast<int>(bits >> 23) - 126);
  const float m = std::bit_cast<float>((bits & 0x007fffffu) | 0x3f000000u);
  x = m - 1.0f;
  if (m < 0.707106781186547524f) {
    e -= 1.0f;
    x += m;
  }
  const float z = x * x;
  float y = 7.0376836292e-2f;
  y = std::fma(y, x, -1.1514610310e-1f);
  y = std::fma(y, x, 1.1676998740e-1f);
  y = std::fma(y, x, -1.2420140846e-1f);
  y = std::fma(y, x, 1.4249322787e-1f);
  y = std::fma(y, x, -1.6668057665e-1f);
  y = std::fma(y, x, 2.0000714765e-1f);
  y = std::fma(y, x, -2.4999993993e-1f);
  y = std::fma(y, x, 3.3333331174e-1f);
  y *= x;
  y = std::fma(y, z, e * -2.12194440e-4f);
  y = std::fma(-z, 0.5f, y);
  x += y;
  return std::fma(e, 0.693359375f, x);
}

// Cephes sinf and cosf for x >= 0: x less the nearest multiple of pi / 2, subtracted in three
// parts.
void SinCos(float x, float* sin, float* cos) {
  int j = static_cast<int>(x * 1.27323954473516f);
  j = (j + 1) & ~1;
  const float y = static_cast<float>(j);
  x = std::fma(y, -0.78515625f, x);
  x = std::fma(y, -2.4187564849853515625e-4f, x);
  x = std::fma(y, -3.77489497744594108e-8f, x);
  const float z = x * x;

  float c = 2.443315711809948e-5f;
  c = std::fma(c, z, -1.388731625493765e-3f);
  c = std::fma(c, z, 4.166664568298827e-2f);
  c *= z;
  c = std::fma(c, z, -(z * 0.5f));
  c += 1.0f;

  float s = -1.9515295891e-4f;
  s = std::fma(s, z, 8.3321608736e-3f);
  s = std::fma(s, z, -1.6666654611e-1f);
  s *= z;
  s = std::fma(s, x, x);

  const bool swap = (j & 2) != 0;
  *sin = swap ? c : s;
  *cos = swap ? s : c;
  if (j & 4) *sin = -*sin;
  if (~(j - 2) & 4) *cos = -*cos;
}

}  // namespace

void Uniform(const uint32_t* words, size_t count, float low, float high, float* out) {
  const float range = high - low;
  for (size_t i = 0; i < count; ++i) {
    out[i] = std::fma(static_cast<float>(words[i] & 0xffffffu) * 0x1p-24f, range, low);
  }
}

void Uniform(const uint32_t* words, size_t count, double low, double high, double* out) {
  const double range = high - low;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t word = (uint64_t{words[2 * i]} << 32) | words[2 * i + 1];
    const double u = static_cast<double>(word & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
    out[i] = std::fma(u, range, low);
  }
}

void BoxMuller(float* data, size_t blocks, float mean, float std) {
  constexpr float kTwoPi = static_cast<float>(2.0 * std::numbers::pi);
  for (float* d = data; d != data + 16 * blocks; d += 16) {
    for (int j = 0; j < 8; ++j) {
      const float radius = std::sqrt(-2.0f * Log(1.0f - d[j]));
      float sin, cos;
      SinCos(kTwoPi * d[j + 8], &sin, &cos);
      d[j] = std::fma(radius * cos, std, mean);
      d[j + 8] = std::fma(radius * sin, std, mean);
    }
  }
}

void BoxMuller(double* data, size_t blocks, double mean, double std) {
  for (double* d = data; d != data + 16 * blocks; d += 16) {
    for (int j = 0; j < 8; ++j) {
      const double radius = std::sqrt(-2.0 * std::log(1.0 - d[j]));
      const double theta = 2.0 * std::numbers::pi * d[j + 8];
      d[j] = std::fma(radius * std::cos(theta), std, mean);
      d[j + 8] = std::fma(radius * std::sin(theta), std, mean);
    }
  }
}

}  // namespace lemma::kernels::reference
