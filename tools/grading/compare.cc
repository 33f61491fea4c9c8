#include "tools/grading/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/ops/cast.h"

namespace lemma::tools::grading {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  return std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : kInfinity;
}

Distance CompareOne(const std::string& name, const Tensor* got, const Tensor& expected) {
  if (got == nullptr) return {kInfinity, name, 0, absl::StrCat(name, ", which is missing")};
  if (got->shape() != expected.shape()) {
    return {kInfinity, name, 0, absl::StrCat(name, ", of another shape")};
  }
  const std::vector<double> a = Doubles(*got), b = Doubles(expected);
  double largest = 1e-3;
  for (const double value : b) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  Distance distance = {0, name, 0, ""};
  for (size_t i = 0; i < a.size(); ++i) {
    const double relative = Difference(a[i], b[i]) / largest;
    if (relative > distance.relative) {
      distance.relative = relative;
      distance.element = static_cast<int64_t>(i);
    }
  }
  distance.where = absl::StrCat(name, PlaceOf(distance.element, expected.shape()));
  return distance;
}

}  // namespace

Distance Compare(const Values& got, const Values& expected,
                 const std::vector<std::string>& outputs) {
  Distance farthest;
  for (const std::string& name : outputs) {
    const Distance distance = CompareOne(name, got.Find(name), expected[name]);
    if (farthest.where.empty() || distance.relative > farthest.relative) farthest = distance;
  }
  return farthest;
}

std::string PlaceOf(int64_t element, const Shape& shape) {
  std::vector<int64_t> place(shape.rank());
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const int64_t size = std::max<int64_t>(shape[i], 1);
    place[i] = element % size;
    element /= size;
  }
  return shape.rank() == 0 ? "" : absl::StrCat("[", absl::StrJoin(place, ", "), "]");
}

std::vector<double> Doubles(const Tensor& x) {
  return Cast(x.Detach(), DType::kFloat64).ToVector<double>();
}

BitDifference CompareBits(const Tensor& a, const Tensor& b) {
  LEMMA_CHECK(a.shape() == b.shape() && a.dtype() == b.dtype());
  BitDifference difference;
  if (a.numel() == 0) return difference;
  const Tensor x = a.DetachedContiguous(), y = b.DetachedContiguous();
  const auto* p = static_cast<const char*>(x.raw_data());
  const auto* q = static_cast<const char*>(y.raw_data());
  const size_t size = SizeOf(a.dtype());
  for (int64_t i = 0; i < a.numel(); ++i, p += size, q += size) {
    if (std::memcmp(p, q, size) == 0) continue;
    if (difference.count++ == 0) difference.first = i;
  }
  return difference;
}

std::string Short(double number) { return absl::StrFormat("%.3g", number); }

}  // namespace lemma::tools::grading
