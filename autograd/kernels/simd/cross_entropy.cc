#include "autograd/kernels/simd/cross_entropy.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "autograd/kernels/simd/cross_entropy.cc"
#include "hwy/foreach_target.h"
// Highway's rule: after foreach_target.h.
#include "autograd/kernels/simd/math-inl.h"
#include "autograd/kernels/simd/row-inl.h"
#include "autograd/kernels/simd/vector-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lemma::kernels::simd::HWY_NAMESPACE {
namespace {

void ForwardRow(int64_t classes, const float* logits, int64_t target, float smoothing, float* loss,
                float* lse) {
  const float max = RowMax(classes, logits);
  const float log_sum = std::log(SumExp(classes, logits, max));
  *lse = max + log_sum;
  const float nll = log_sum - (logits[target] - max);
  *loss = nll;
  if (smoothing == 0) return;
  const V32 shift = hn::Set(F32(), max);
  const float sum = SumOver(
      classes, [=](int64_t c, auto a) HWY_ATTR { return hn::Sub(a.Load(logits + c), shift); });
  *loss = (1 - smoothing) * nll + smoothing * (log_sum - sum / static_cast<float>(classes));
}

// The target's element is worked out apart, in scalars, before the row may be overwritten.
void BackwardRow(int64_t classes, const float* logits, int64_t target, float smoothing, float lse,
                 float scale, float* dlogits) {
  const F32 f;
  const float off_target = smoothing / static_cast<float>(classes);
  const V32 shift = hn::Set(f, lse), factor = hn::Set(f, scale), off = hn::Set(f, off_target);
  const auto value = [=](V32 x)
                         HWY_ATTR { return hn::Sub(ExpNonPositive(hn::Sub(x, shift)), off); };
  const float at_target = hn::GetLane(value(hn::Set(f, logits[target]))) - (1 - smoothing);
  ForVectors(0, classes, [=](int64_t c, auto a) HWY_ATTR {
    a.Store(hn::Mul(factor, value(a.Load(logits + c))), dlogits + c);
  });
  dlogits[target] = scale * at_target;
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace lemma::kernels::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lemma::kernels::simd {
namespace {

HWY_EXPORT(ForwardRow);
HWY_EXPORT(BackwardRow);

// Rows of one task at least: about 4096 elements.
int64_t Grain(int64_t classes) {
  return std::max<int64_t>(1, 4096 / std::max<int64_t>(classes, 1));
}

}  // namespace

void CrossEntropyForward(int64_t rows, int64_t classes, const float* logits, const int64_t* targets,
                         int64_t ignore_index, double label_smoothing, float* loss, float* lse) {
  ParallelFor(rows, Grain(classes), [&](int64_t begin, int64_t end) {
    const auto forward_row = HWY_DYNAMIC_DISPATCH(ForwardRow);
    for (int64_t r = begin; r < end; ++r) {
      loss[r] = lse[r] = 0;
      if (targets[r] == ignore_index) continue;
      forward_row(classes, logits + r * classes, targets[r], static_cast<float>(label_smoothing),
                  loss + r, lse + r);
    }
  });
}

void CrossEntropyBackward(int64_t rows, int64_t classes, const float* logits,
                          const int64_t* targets, int64_t ignore_index, double label_smoothing,
                          const float* lse, const float* scale, int64_t scale_stride,
                          float* dlogits) {
  ParallelFor(rows, Grain(classes), [&](int64_t begin, int64_t end) {
    const auto backward_row = HWY_DYNAMIC_DISPATCH(BackwardRow);
    for (int64_t r = begin; r < end; ++r) {
      float* row = dlogits + r * classes;
      if (targets[r] == ignore_index) {
        std::fill_n(row, classes, 0.0f);
        continue;
      }
      backward_row(classes, logits + r * classes, targets[r], static_cast<float>(label_smoothing),
                   lse[r], scale[r * scale_stride], row);
    }
  });
}

}  // namespace lemma::kernels::simd
#endif  // HWY_ONCE
