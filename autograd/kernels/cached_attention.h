// Attention of new positions to those that a cache holds, for sampling.
//
//   // one position more, of one sequence; qkv (3C) -> out (C)
//   CachedAttentionArgs<float> args{.heads = h, .width = d, .length = held, .capacity = capacity,
//                                   .qkv = qkv, .keys = keys, .values = values, .out = out};
//   CachedAttention(args, 0, h);
//
// Heads have nothing to do with each other, so that a caller that shares them among threads by
// itself takes some at a time. The meaning and the bits are those of the last T queries of causal
// attention over all (autograd/kernels/attention.h).
#ifndef LEMMA_AUTOGRAD_KERNELS_CACHED_ATTENTION_H_
#define LEMMA_AUTOGRAD_KERNELS_CACHED_ATTENTION_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "autograd/kernels/attention.h"
#include "autograd/kernels/attention_args.h"

namespace lemma::kernels {

// How long the rows of cached keys are: the next multiple of 16, as the scores read them.
constexpr int64_t CachedColumns(int64_t capacity) { return (capacity + 15) / 16 * 16; }

// Dense arrays, row-major.
template <typename T>
struct CachedAttentionArgs {
  int64_t batch = 1;       // B
  int64_t heads = 0;       // H
  int64_t width = 0;       // D
  int64_t positions = 1;   // T, new ones
  int64_t length = 0;      // positions before them, that the cache holds
  int64_t capacity = 0;    // positions that it has room for, at least length + T
  const T* qkv = nullptr;  // (B, T, 3, H, D)
  T* keys = nullptr;       // (B, H, D, CachedColumns(capacity))
  T* values = nullptr;     // (B, H, capacity, D)
  T* out = nullptr;        // (B, T, H, D)
};

namespace cached_attention {

// Calls fn(t, head, row) for part `part` of qkv: row (D) of position t, where `head` counts the
// heads of all sequences; of each sequence those in [begin, end).
template <typename T, typename Fn>
void ForRows(const CachedAttentionArgs<T>& args, int64_t begin, int64_t end, int part,
             const Fn& fn) {
  for (int64_t b = 0; b < args.batch; ++b) {
    for (int64_t t = 0; t < args.positions; ++t) {
      const T* row = args.qkv + ((b * args.positions + t) * 3 + part) * args.heads * args.width;
      for (int64_t h = begin; h < end; ++h) fn(t, b * args.heads + h, row + h * args.width);
    }
  }
}

// Puts the new keys and values behind those held.
template <typename T>
void Append(const CachedAttentionArgs<T>& args, int64_t begin, int64_t end) {
  const int64_t d = args.width, columns = CachedColumns(args.capacity);
  ForRows(args, begin, end, 1, [&](int64_t t, int64_t head, const T* row) {
    T* to = args.keys + head * d * columns + args.length + t;
    for (int64_t i = 0; i < d; ++i) to[i * columns] = row[i];
  });
  ForRows(args, begin, end, 2, [&](int64_t t, int64_t head, const T* row) {
    std::copy_n(row, d, args.values + (head * args.capacity + args.length + t) * d);
  });
}

}  // namespace cached_attention

// Puts keys and values of the new positions into the cache, and writes what they attend to, for the
// heads [begin, end) of each sequence.
template <typename T>
void CachedAttention(const CachedAttentionArgs<T>& args, int64_t begin, int64_t end) {
  cached_attention::Append(args, begin, end);
  const int64_t d = args.width, c = args.heads * d, positions = args.positions;
  const int64_t columns = CachedColumns(args.capacity);
  AttentionArgs<T> of_heads;
  of_heads.batch = args.batch, of_heads.heads = end - begin, of_heads.width = d;
  of_heads.queries = positions, of_heads.keys = args.length + positions;
  of_heads.q = {args.qkv + begin * d, positions * 3 * c, d, 3 * c};
  of_heads.k = {args.keys + begin * d * columns, c * columns, d * columns, 1, columns};
  of_heads.v = {args.values + begin * args.capacity * d, c * args.capacity, args.capacity * d, d};
  of_heads.scale = 1 / std::sqrt(static_cast<double>(d));
  of_heads.causal = true;
  AttentionForward<T>(of_heads, {args.out + begin * d, positions * c, d, c}, /*lse=*/nullptr);
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_CACHED_ATTENTION_H_
