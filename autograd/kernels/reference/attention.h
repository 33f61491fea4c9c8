// Attention as it is defined, one query at a time. See autograd/kernels/attention.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_ATTENTION_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_ATTENTION_H_

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/kernels/attention_args.h"

namespace lemma::kernels::reference {

template <typename T>
Accumulator<T> Dot(int64_t n, const T* x, const T* y, int64_t y_stride = 1) {
  using A = Accumulator<T>;
  A sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<A>(x[i]) * static_cast<A>(y[i * y_stride]);
  return sum;
}

// The scaled and masked scores of query i, one for each key that the causal mask lets it see;
// -inf where the other mask hides the key.
template <typename T>
std::vector<Accumulator<T>> AttentionScores(const AttentionArgs<T>& args, int64_t b, int64_t h,
                                            int64_t i) {
  using A = Accumulator<T>;
  std::vector<A> scores(args.VisibleKeys(i));
  const int64_t mask_row = args.mask.Offset(b, h, i);
  for (int64_t j = 0; j < static_cast<int64_t>(scores.size()); ++j) {
    const int64_t at = mask_row + j * args.mask.key_stride;
    if (args.mask.keep != nullptr && !args.mask.keep[at]) {
      scores[j] = -std::numeric_limits<A>::infinity();
      continue;
    }
    scores[j] = static_cast<A>(args.scale) *
                Dot<T>(args.width, args.q.Row(b, h, i), args.k.Row(b, h, j), args.k.column_stride);
    if (args.mask.bias != nullptr) scores[j] += static_cast<A>(args.mask.bias[at]);
  }
  return scores;
}

// keep / (1 - p) of query i and key j; 1 without dropout.
template <typename T>
Accumulator<T> DropoutFactor(const AttentionArgs<T>& args, int64_t b, int64_t h, int64_t i,
                             int64_t j) {
  using A = Accumulator<T>;
  if (args.dropout_keep == nullptr) return A{1};
  const int64_t row = (b * args.heads + h) * args.queries + i;
  return static_cast<A>(args.dropout_keep[row * args.keys + j]) *
         static_cast<A>(args.dropout_scale);
}

// Returns the logarithm of the sum of the exponentials.
template <typename T>
Accumulator<T> AttentionForwardQuery(const AttentionArgs<T>& args, int64_t b, int64_t h, int64_t i,
                                     T* out) {
  using A = Accumulator<T>;
  const std::vector<A> scores = AttentionScores(args, b, h, i);
  const int64_t visible = static_cast<int64_t>(scores.size());
  A max = -std::numeric_limits<A>::infinity();
  bool any = false;
  for (A score : scores) {
    if (score > max) max = score;
    any = any || score != -std::numeric_limits<A>::infinity();
  }
  std::vector<A> sum(args.width);
  A total = 0;
  for (int64_t j = 0; any && j < visible; ++j) {
    const A p = std::exp(scores[j] - max);
    total += p;
    if (p == 0) continue;
    const A factor = p * DropoutFactor(args, b, h, i, j);
    const T* v = args.v.Row(b, h, j);
    for (int64_t d = 0; d < args.width; ++d) sum[d] += factor * static_cast<A>(v[d]);
  }
  for (int64_t d = 0; d < args.width; ++d) out[d] = static_cast<T>(any ? sum[d] / total : A{0});
  return any ? max + std::log(total) : max;
}

template <typename T>
void AttentionForward(const AttentionArgs<T>& args, const HeadView<T>& out, Accumulator<T>* lse) {
  for (int64_t b = 0; b < args.batch; ++b) {
    for (int64_t h = 0; h < args.heads; ++h) {
      for (int64_t i = 0; i < args.queries; ++i) {
        const Accumulator<T> logarithm = AttentionForwardQuery(args, b, h, i, out.Row(b, h, i));
        if (lse != nullptr) *lse++ = logarithm;
      }
    }
  }
}

// With p = exp(score - lse), f = DropoutFactor and delta = dout . out:
//   dv_j = sum_i p f dout_i, dscore = p * (f * dout_i . v_j - delta_i),
//   dq_i = scale * sum_j dscore k_j, dk_j = scale * sum_i dscore q_i.
template <typename T>
void AttentionBackwardHead(const AttentionArgs<T>& args, int64_t b, int64_t h,
                           const HeadView<const T>& out, const HeadView<const T>& dout,
                           const Accumulator<T>* lse, const AttentionGradients<T>& gradients) {
  using A = Accumulator<T>;
  const int64_t width = args.width;
  std::vector<A> dq(width), dk(args.keys * width), dv(args.keys * width);
  for (int64_t i = 0; i < args.queries; ++i) {
    const T* q = args.q.Row(b, h, i);
    const T* dout_row = dout.Row(b, h, i);
    const A delta = Dot<T>(width, dout_row, out.Row(b, h, i));
    const std::vector<A> scores = AttentionScores(args, b, h, i);
    dq.assign(width, A{0});
    for (int64_t j = 0; j < static_cast<int64_t>(scores.size()); ++j) {
      if (scores[j] == -std::numeric_limits<A>::infinity()) continue;
      const T* k = args.k.Row(b, h, j);
      const A p = std::exp(scores[j] - lse[i]);
      const A factor = DropoutFactor(args, b, h, i, j);
      const A dp = factor * Dot<T>(width, dout_row, args.v.Row(b, h, j));
      const A dscore = p * (dp - delta) * static_cast<A>(args.scale);
      for (int64_t d = 0; d < width; ++d) {
        dv[j * width + d] += p * factor * static_cast<A>(dout_row[d]);
        dk[j * width + d] += dscore * static_cast<A>(q[d]);
        dq[d] += dscore * static_cast<A>(k[d]);
      }
    }
    for (int64_t d = 0; d < width; ++d) gradients.dq.Row(b, h, i)[d] = static_cast<T>(dq[d]);
  }
  for (int64_t j = 0; j < args.keys; ++j) {
    for (int64_t d = 0; d < width; ++d) {
      gradients.dk.Row(b, h, j)[d] = static_cast<T>(dk[j * width + d]);
      gradients.dv.Row(b, h, j)[d] = static_cast<T>(dv[j * width + d]);
    }
  }
}

template <typename T>
void AttentionBackward(const AttentionArgs<T>& args, const HeadView<const T>& out,
                       const HeadView<const T>& dout, const Accumulator<T>* lse,
                       const AttentionGradients<T>& gradients) {
  for (int64_t b = 0; b < args.batch; ++b) {
    for (int64_t h = 0; h < args.heads; ++h) {
      AttentionBackwardHead(args, b, h, out, dout, lse + (b * args.heads + h) * args.queries,
                            gradients);
    }
  }
}

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_ATTENTION_H_
