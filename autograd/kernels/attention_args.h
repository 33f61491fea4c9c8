// What the attention kernels take; see autograd/kernels/attention.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_ATTENTION_ARGS_H_
#define LEMMA_AUTOGRAD_KERNELS_ATTENTION_ARGS_H_

#include <cstdint>

#include "autograd/dtype.h"

namespace lemma::kernels {

// A (B, H, rows, D) array inside of a larger one; strides in elements, that along D is 1 unless it
// says otherwise. The queries of a packed (B, T, 3C) array are {qkv, T * 3 * C, D, 3 * C}, the keys
// {qkv + C, ...}.
template <typename T>
struct HeadView {
  T* data = nullptr;
  int64_t batch_stride = 0;
  int64_t head_stride = 0;
  int64_t row_stride = 0;
  int64_t column_stride = 1;

  bool IsTransposed() const { return column_stride != 1; }
  T* Row(int64_t b, int64_t h, int64_t row) const {
    return data + b * batch_stride + h * head_stride + row * row_stride;
  }
};

// A mask over (B, H, T, S): `keep` (false hides a key) or `bias` (added to the scaled score), not
// both. Strides in elements; 0 along an axis that it is broadcast over.
template <typename T>
struct AttentionMask {
  const bool* keep = nullptr;
  const T* bias = nullptr;
  int64_t batch_stride = 0;
  int64_t head_stride = 0;
  int64_t query_stride = 0;
  int64_t key_stride = 0;

  bool Given() const { return keep != nullptr || bias != nullptr; }
  int64_t Offset(int64_t b, int64_t h, int64_t query) const {
    return b * batch_stride + h * head_stride + query * query_stride;
  }
};

// Sizes and options, and the three inputs of the forward.
template <typename T>
struct AttentionArgs {
  int64_t batch = 0;      // B
  int64_t heads = 0;      // H
  int64_t queries = 0;    // T
  int64_t keys = 0;       // S
  int64_t width = 0;      // D
  HeadView<const T> q{};  // (B, H, T, D)
  // (B, H, S, D). The forward also takes them transposed, with a row_stride of 1: then every row of
  // S keys has room for the next multiple of 16, and what lies behind the last key does not matter.
  HeadView<const T> k{};
  HeadView<const T> v{};  // (B, H, S, D)
  double scale = 1.0;     // of q . k, usually 1 / sqrt(D)
  bool causal = false;    // query i sees the keys j <= i + S - T
  AttentionMask<T> mask{};
  const float* dropout_keep = nullptr;  // (B, H, T, S), dense, 0 or 1; null without dropout
  double dropout_scale = 1.0;           // 1 / (1 - p)

  // How many of the keys, counted from 0, query i may see.
  int64_t VisibleKeys(int64_t i) const {
    if (!causal) return keys;
    const int64_t visible = i + keys - queries + 1;
    return visible < 0 ? 0 : visible;
  }
};

// The gradients that the backward writes; see autograd/kernels/attention.h.
template <typename T>
struct AttentionGradients {
  HeadView<T> dq{};  // (B, H, T, D)
  HeadView<T> dk{};  // (B, H, S, D)
  HeadView<T> dv{};  // (B, H, S, D)
};

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_ATTENTION_ARGS_H_
