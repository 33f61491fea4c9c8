// Scaled dot-product attention, forward and backward: out = softmax(scale * q k^T + mask) v.
//
//   const int64_t row = 3 * c;  // qkv: (B, T, 3C), the rows of q, then k, then v, heads in order
//   AttentionArgs<float> args{.batch = b, .heads = h, .queries = t, .keys = t, .width = d,
//                             .q = {qkv, t * row, d, row},
//                             .k = {qkv + c, t * row, d, row},
//                             .v = {qkv + 2 * c, t * row, d, row},
//                             .scale = 1 / std::sqrt(double(d)), .causal = true};
//   AttentionForward<float>(args, {out, t * c, d, c}, lse);
//   AttentionBackward<float>(args, {out, t * c, d, c}, {dout, t * c, d, c}, lse,
//                            {.dq = {dqkv, t * row, d, row}, ...});
//
// Causal masks are aligned at the end: query i sees the keys j <= i + S - T, so that one query
// with a cache of keys sees all of them. A query that sees no key has output 0 and gradient 0.
// No array of T x S elements is made. A row of the output does not depend, in any bit, on keys
// behind the causal mask, even where these are NaN, nor on how many other queries there are: a
// query computed alone, on cached keys, gives the bits that it has in the whole sequence. Values
// that only `mask` hides have to be finite.
//
// The meaning is reference/attention.h; float runs in simd/attention.h, fastest for D that are
// multiples of 16 and without mask or dropout. Dao et al.: FlashAttention, arXiv:2205.14135.
#ifndef LEMMA_AUTOGRAD_KERNELS_ATTENTION_H_
#define LEMMA_AUTOGRAD_KERNELS_ATTENTION_H_

#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/attention_args.h"
#include "autograd/kernels/reference/attention.h"
#include "autograd/kernels/simd/attention.h"

namespace lemma::kernels {

// out: (B, H, T, D), written; lse: (B, H, T), dense, written: the logarithm of the sum of the
// exponentials of a query's scores, -inf where it sees no key; null where there is no backward.
template <typename T>
void AttentionForward(const AttentionArgs<T>& args, const HeadView<T>& out, Accumulator<T>* lse) {
  if constexpr (std::is_same_v<T, float>) {
    simd::AttentionForward(args, out, lse);
  } else {
    reference::AttentionForward<T>(args, out, lse);
  }
}

// Writes (does not accumulate) dq, dk and dv. out and lse are the forward's; dout: (B, H, T, D).
// The gradients may not overlap with the inputs.
template <typename T>
void AttentionBackward(const AttentionArgs<T>& args, const HeadView<const T>& out,
                       const HeadView<const T>& dout, const Accumulator<T>* lse,
                       const AttentionGradients<T>& gradients) {
  if constexpr (std::is_same_v<T, float>) {
    simd::AttentionBackward(args, out, dout, lse, gradients);
  } else {
    reference::AttentionBackward<T>(args, out, dout, lse, gradients);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_ATTENTION_H_
