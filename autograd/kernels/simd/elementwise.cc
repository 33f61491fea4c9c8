#include "autograd/kernels/simd/elementwise.h"

#include <algorithm>
#include <cstdint>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/scratch.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/elementwise.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/column_sum-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

void AddRange(int64_t n, const float* a, const float* b, float* out) {
  ForVectors(0, n, [=](int64_t i, auto access) HWY_ATTR {
    access.Store(hn::Add(access.Load(a + i), access.Load(b + i)), out + i);
  });
}

void AxpyRange(int64_t n, float alpha, const float* x, float* y) {
  const V32 factor = hn::Set(F32(), alpha);
  ForVectors(0, n, [=](int64_t i, auto access) HWY_ATTR {
    access.Store(hn::MulAdd(factor, access.Load(x + i), access.Load(y + i)), y + i);
  });
}

void ScaleRange(int64_t n, float alpha, const float* x, float* y) {
  const V32 factor = hn::Set(F32(), alpha);
  ForVectors(0, n, [=](int64_t i, auto access) HWY_ATTR {
    access.Store(hn::Mul(factor, access.Load(x + i)), y + i);
  });
}

void DropoutRange(int64_t n, const float* x, const float* keep, float scale, float* y) {
  const V32 factor = hn::Set(F32(), scale), zero = hn::Zero(F32());
  ForVectors(0, n, [=](int64_t i, auto access) HWY_ATTR {
    const auto dropped = hn::Eq(access.Load(keep + i), zero);
    access.Store(hn::IfThenZeroElse(dropped, hn::Mul(access.Load(x + i), factor)), y + i);
  });
}

void SumChunk(int64_t rows, int64_t columns, const float* x, float* sum) {
  SumOfRows<false>(rows, columns, columns, x, sum);
}

void AddChunks(int64_t chunks, int64_t columns, const float* partial, float* sum) {
  SumOfRows<true>(chunks, columns, columns, partial, sum);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(AddRange);
HWY_EXPORT(AxpyRange);
HWY_EXPORT(ScaleRange);
HWY_EXPORT(DropoutRange);
HWY_EXPORT(SumChunk);
HWY_EXPORT(AddChunks);

constexpr int64_t kGrain = 16384;

}  // namespace

void AddArrays(int64_t n, const float* a, const float* b, float* out) {
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(AddRange)(end - begin, a + begin, b + begin, out + begin);
  });
}

void AddInto(int64_t n, const float* x, float* y) { AddArrays(n, y, x, y); }

void Axpy(int64_t n, float alpha, const float* x, float* y) {
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(AxpyRange)(end - begin, alpha, x + begin, y + begin);
  });
}

void ScaleArray(int64_t n, float alpha, const float* x, float* y) {
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ScaleRange)(end - begin, alpha, x + begin, y + begin);
  });
}

void DropoutApply(int64_t n, const float* x, const float* keep, float scale, float* y) {
  ParallelFor(n, kGrain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(DropoutRange)(end - begin, x + begin, keep + begin, scale, y + begin);
  });
}

// Rows are cut into at most 64 chunks by shape alone; the chunks' sums are added in order.
void ColumnSumInto(int64_t rows, int64_t columns, const float* x, float* sum) {
  if (rows == 0 || columns == 0) return;
  const int64_t chunk_rows = std::max<int64_t>(32, (rows + 63) / 64);
  const int64_t chunks = NumChunks(rows, chunk_rows);
  const auto add = HWY_DYNAMIC_DISPATCH(AddChunks);
  if (chunks == 1) return add(rows, columns, x, sum);
  float* partial = ThreadScratch<Slot::kPartialSums>(chunks * columns);
  ParallelChunks(rows, chunk_rows, [&](int64_t chunk, int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(SumChunk)
    (end - begin, columns, x + begin * columns, partial + chunk * columns);
  });
  add(chunks, columns, partial, sum);
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
