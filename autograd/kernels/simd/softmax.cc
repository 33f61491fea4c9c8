#include "autograd/kernels/simd/softmax.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/softmax.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/math-inl.h"
#include "autograd/kernels/simd/row-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

void Forward(int64_t rows, int64_t columns, const float* x, float* y) {
  const F32 f;
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const V32 max = hn::Set(f, RowMax(columns, x));
    const float sum = SumOver(columns, [=](int64_t c, auto a) HWY_ATTR {
      const V32 e = ExpNonPositive(hn::Sub(a.Load(x + c), max));
      a.Store(e, y + c);
      return e;
    });
    const V32 factor = hn::Set(f, 1.0f / sum);
    ForVectors(0, columns,
               [=](int64_t c, auto a) HWY_ATTR { a.Store(hn::Mul(a.Load(y + c), factor), y + c); });
  }
}

void Backward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
              bool accumulate) {
  const F32 f;
  for (int64_t r = 0; r < rows; ++r, dy += columns, y += columns, dx += columns) {
    const V32 dot = hn::Set(f, SumOver(columns, [=](int64_t c, auto a) HWY_ATTR {
                              return hn::Mul(a.Load(dy + c), a.Load(y + c));
                            }));
    ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR {
      const V32 value = hn::Mul(a.Load(y + c), hn::Sub(a.Load(dy + c), dot));
      a.Store(accumulate ? hn::Add(value, a.Load(dx + c)) : value, dx + c);
    });
  }
}

void LogForward(int64_t rows, int64_t columns, const float* x, float* y) {
  const F32 f;
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const float row_max = RowMax(columns, x);
    const V32 max = hn::Set(f, row_max);
    const V32 log_sum = hn::Set(f, std::log(SumExp(columns, x, row_max)));
    ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR {
      a.Store(hn::Sub(hn::Sub(a.Load(x + c), max), log_sum), y + c);
    });
  }
}

void LogBackward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
                 bool accumulate) {
  const F32 f;
  for (int64_t r = 0; r < rows; ++r, dy += columns, y += columns, dx += columns) {
    const V32 sum =
        hn::Set(f, SumOver(columns, [=](int64_t c, auto a) HWY_ATTR { return a.Load(dy + c); }));
    ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR {
      const V32 value = hn::NegMulAdd(ExpNonPositive(a.Load(y + c)), sum, a.Load(dy + c));
      a.Store(accumulate ? hn::Add(value, a.Load(dx + c)) : value, dx + c);
    });
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(Forward);
HWY_EXPORT(Backward);
HWY_EXPORT(LogForward);
HWY_EXPORT(LogBackward);

// Rows of one task at least: about 4096 elements.
int64_t Grain(int64_t columns) {
  return std::max<int64_t>(1, 4096 / std::max<int64_t>(columns, 1));
}

}  // namespace

void SoftmaxForward(int64_t rows, int64_t columns, const float* x, float* y) {
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * columns;
    HWY_DYNAMIC_DISPATCH(Forward)(end - begin, columns, x + at, y + at);
  });
}

void SoftmaxBackward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
                     bool accumulate) {
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * columns;
    HWY_DYNAMIC_DISPATCH(Backward)(end - begin, columns, dy + at, y + at, dx + at, accumulate);
  });
}

void LogSoftmaxForward(int64_t rows, int64_t columns, const float* x, float* y) {
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * columns;
    HWY_DYNAMIC_DISPATCH(LogForward)(end - begin, columns, x + at, y + at);
  });
}

void LogSoftmaxBackward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
                        bool accumulate) {
  ParallelFor(rows, Grain(columns), [&](int64_t begin, int64_t end) {
    const int64_t at = begin * columns;
    HWY_DYNAMIC_DISPATCH(LogBackward)(end - begin, columns, dy + at, y + at, dx + at, accumulate);
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
