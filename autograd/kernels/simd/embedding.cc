#include "autograd/kernels/simd/embedding.h"

#include <algorithm>
#include <cstdint>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/embedding.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

void CopyRow(int64_t columns, const float* x, float* y) {
  ForVectors(0, columns, [=](int64_t c, auto a) HWY_ATTR { a.Store(a.Load(x + c), y + c); });
}

void Gather(int64_t count, int64_t columns, const float* table, const int64_t* index, float* out) {
  for (int64_t i = 0; i < count; ++i)
    CopyRow(columns, table + index[i] * columns, out + i * columns);
}

// Columns [begin, end) of all rows.
void ScatterAdd(int64_t count, int64_t columns, int64_t begin, int64_t end, const float* src,
                const int64_t* index, float* table) {
  for (int64_t i = 0; i < count; ++i) {
    const float* x = src + i * columns;
    float* y = table + index[i] * columns;
    ForVectors(begin, end, [=](int64_t c, auto a) HWY_ATTR {
      a.Store(hn::Add(a.Load(y + c), a.Load(x + c)), y + c);
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

HWY_EXPORT(Gather);
HWY_EXPORT(ScatterAdd);

constexpr int64_t kGrain = 16384;  // elements
constexpr int64_t kStrip = 32;     // columns that one thread takes at least

}  // namespace

void GatherRows(int64_t count, int64_t columns, const float* table, const int64_t* index,
                float* out) {
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(columns, 1));
  ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(Gather)
    (end - begin, columns, table, index + begin, out + begin * columns);
  });
}

// Threads share the columns, so each element is added to in the order of `index`.
void ScatterAddRows(int64_t count, int64_t columns, const float* src, const int64_t* index,
                    int64_t /*rows*/, float* table) {
  const int64_t strips = NumChunks(columns, kStrip);
  const int64_t grain = std::max<int64_t>(1, kGrain / std::max<int64_t>(count * kStrip, 1));
  ParallelFor(strips, grain, [&](int64_t begin, int64_t end) {
    HWY_DYNAMIC_DISPATCH(ScatterAdd)
    (count, columns, begin * kStrip, std::min(end * kStrip, columns), src, index, table);
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
