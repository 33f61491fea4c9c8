#include "tests/propositions/measure.h"

#include <cmath>
#include <cstring>

#include "autograd/error.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/pointwise.h"

namespace lemma::propositions {

double Roundoff(DType dtype) { return dtype == DType::kFloat64 ? 0x1p-53 : 0x1p-24; }

std::vector<double> Doubles(const Tensor& x) {
  return Cast(x.Detach(), DType::kFloat64).ToVector<double>();
}

double Largest(const Tensor& x) {
  double largest = -INFINITY;
  for (double value : Doubles(x)) {
    if (std::isnan(value)) return value;
    largest = std::fmax(largest, value);
  }
  return largest;
}

double Smallest(const Tensor& x) { return -Largest(Neg(x.Detach())); }

double LargestMagnitude(const Tensor& x) { return Largest(Abs(x.Detach())); }

double LargestDifference(const Tensor& a, const Tensor& b) {
  LEMMA_CHECK(a.shape() == b.shape());
  return LargestMagnitude(Cast(a.Detach(), DType::kFloat64) - Cast(b.Detach(), DType::kFloat64));
}

double EuclideanNorm(const Tensor& x) {
  double sum = 0;
  for (double value : Doubles(x)) sum += value * value;
  return std::sqrt(sum);
}

double LargerOf(double a, double b) { return std::isnan(a) || a > b ? a : b; }

double SmallerOf(double a, double b) { return -LargerOf(-a, -b); }

int64_t CountNonZero(const Tensor& x) {
  int64_t count = 0;
  for (double value : Doubles(x)) count += value != 0;
  return count;
}

int64_t CountDifferentBits(const Tensor& a, const Tensor& b) {
  LEMMA_CHECK(a.shape() == b.shape() && a.dtype() == b.dtype());
  const Tensor x = a.DetachedContiguous(), y = b.DetachedContiguous();
  const auto* p = static_cast<const char*>(x.raw_data());
  const auto* q = static_cast<const char*>(y.raw_data());
  const size_t size = SizeOf(a.dtype());
  int64_t count = 0;
  for (int64_t i = 0; i < a.numel(); ++i, p += size, q += size) {
    count += std::memcmp(p, q, size) != 0;
  }
  return count;
}

}  // namespace lemma::propositions
