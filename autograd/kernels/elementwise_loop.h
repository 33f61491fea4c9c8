// The loop of every element-wise op: applies a function to the elements of up to three arrays.
//
//   const float* x = ...; const float* bias = ...;  float* y = ...;
//   const int64_t row_major[] = {3, 1}, broadcast[] = {0, 1};
//   // y[i][j] = x[i][j] + bias[j]
//   ElementwiseLoop({2, 3}, [](float a, float b) { return a + b; },
//                   StridedArray<float>{y, row_major}, StridedArray<const float>{x, row_major},
//                   StridedArray<const float>{bias, broadcast});
//
// Arrays are read at strides, in elements; 0 repeats an element. Dimensions that lie one behind
// the other in all arrays are walked as one, and the innermost is a plain loop for the compiler to
// vectorise. The function gets bfloat16 elements as float; its result is converted to the output's
// type. The output may be the very array of an input with the same strides; it may not overlap one
// in another way. Large arrays are shared out among threads.
#ifndef LEMMA_AUTOGRAD_KERNELS_ELEMENTWISE_LOOP_H_
#define LEMMA_AUTOGRAD_KERNELS_ELEMENTWISE_LOOP_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "autograd/dtype.h"
#include "autograd/kernels/parallel.h"

// An output may be the array of an input, which the compiler must not take for a dependence
// between iterations.
#if defined(__clang__)
#define LEMMA_INDEPENDENT_ITERATIONS _Pragma("clang loop vectorize(assume_safety)")
#else
#define LEMMA_INDEPENDENT_ITERATIONS _Pragma("GCC ivdep")
#endif

namespace lemma::kernels {

template <typename T>
struct StridedArray {
  T* data;
  const int64_t* strides;  // one for each dimension
};

// Converts between element types; float to bool asks whether it is not 0.
template <typename To, typename From>
To ConvertElement(From value) {
  if constexpr (std::is_same_v<To, BFloat16> && !std::is_same_v<From, BFloat16>) {
    return BFloat16(static_cast<float>(value));
  } else if constexpr (std::is_same_v<From, BFloat16> && !std::is_same_v<To, BFloat16>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

namespace internal {

// As many elements as are worth handing to a thread.
constexpr int64_t kLoopGrain = 1 << 15;

template <typename Fn, typename Out, typename... In>
void DenseRow(int64_t n, Fn fn, Out* out, const In*... in) {
  LEMMA_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) {
    out[i] = ConvertElement<Out>(fn(static_cast<Accumulator<In>>(in[i])...));
  }
}

// A dimension walked by N arrays.
template <size_t N>
struct LoopDim {
  int64_t size;
  std::array<int64_t, N> strides;
};
template <size_t N>
using LoopDims = absl::InlinedVector<LoopDim<N>, 6>;

// The dimensions, innermost first: those of size 1 are left out, and those that all arrays walk
// in one go are merged. Never empty.
template <size_t N>
LoopDims<N> CollapseDims(absl::Span<const int64_t> sizes,
                         const std::array<const int64_t*, N>& strides) {
  LoopDims<N> dims;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    LoopDim<N> dim{sizes[d], {}};
    bool merge = !dims.empty();
    for (size_t k = 0; k < N; ++k) {
      dim.strides[k] = strides[k][d];
      merge = merge && dim.strides[k] == dims.back().strides[k] * dims.back().size;
    }
    if (merge) {
      dims.back().size *= dim.size;
    } else {
      dims.push_back(dim);
    }
  }
  if (dims.empty()) {
    LoopDim<N> one{1, {}};
    one.strides.fill(1);
    dims.push_back(one);
  }
  return dims;
}

// The innermost loop, at any strides; strides[0] is the output's.
template <typename Fn, typename Out, typename... In, size_t... I>
void StridedRow(int64_t n, const int64_t* strides, std::index_sequence<I...>, Fn fn, Out* out,
                const In*... in) {
  for (int64_t i = 0; i < n; ++i) {
    out[i * strides[0]] =
        ConvertElement<Out>(fn(static_cast<Accumulator<In>>(in[i * strides[I + 1]])...));
  }
}

template <typename Fn, typename Out, typename... In>
void InnerRow(int64_t n, const int64_t* strides, Fn fn, Out* out, const In*... in) {
  bool dense = true;
  for (size_t k = 0; k <= sizeof...(In); ++k) dense = dense && strides[k] == 1;
  if (dense) {
    DenseRow(n, fn, out, in...);
  } else {
    StridedRow(n, strides, std::index_sequence_for<In...>(), fn, out, in...);
  }
}

// Two inputs, one of which may be the same element all along, as a bias or a row's mean is.
template <typename Fn, typename Out, typename A, typename B>
void InnerRow(int64_t n, const int64_t* strides, Fn fn, Out* out, const A* a, const B* b) {
  if (strides[0] == 1 && strides[1] == 1 && strides[2] == 1) {
    DenseRow(n, fn, out, a, b);
  } else if (strides[0] == 1 && strides[1] == 1 && strides[2] == 0) {
    const auto right = static_cast<Accumulator<B>>(*b);
    DenseRow(
        n, [fn, right](Accumulator<A> left) { return fn(left, right); }, out, a);
  } else if (strides[0] == 1 && strides[1] == 0 && strides[2] == 1) {
    const auto left = static_cast<Accumulator<A>>(*a);
    DenseRow(
        n, [fn, left](Accumulator<B> right) { return fn(left, right); }, out, b);
  } else {
    StridedRow(n, strides, std::index_sequence<0, 1>(), fn, out, a, b);
  }
}

// Walks dimensions dim, dim - 1, ..., 0, of which `dim` from `begin` to `end`.
template <size_t N, typename Fn, typename Out, typename... In>
void WalkDims(const LoopDim<N>* dims, int dim, int64_t begin, int64_t end, Fn fn, Out* out,
              const In*... in) {
  const int64_t* strides = dims[dim].strides.data();
  [&]<size_t... I>(std::index_sequence<I...>) {
    if (dim == 0) {
      InnerRow(end - begin, strides, fn, out + begin * strides[0], in + begin * strides[I + 1]...);
      return;
    }
    for (int64_t i = begin; i < end; ++i) {
      WalkDims<N>(dims, dim - 1, 0, dims[dim - 1].size, fn, out + i * strides[0],
                  in + i * strides[I + 1]...);
    }
  }
  (std::index_sequence_for<In...>());
}

}  // namespace internal

// out[i] = fn(in[i]...) over dense arrays.
template <typename Fn, typename Out, typename... In>
void ElementwiseFlat(int64_t n, Fn fn, Out* out, const In*... in) {
  if (n < 2 * internal::kLoopGrain) {
    internal::DenseRow(n, fn, out, in...);
    return;
  }
  ParallelFor(n, internal::kLoopGrain, [&](int64_t begin, int64_t end) {
    internal::DenseRow(end - begin, fn, out + begin, (in + begin)...);
  });
}

// out = fn(in...) over arrays of shape `sizes` at their strides.
template <typename Fn, typename Out, typename... In>
void ElementwiseLoop(absl::Span<const int64_t> sizes, Fn fn, StridedArray<Out> out,
                     StridedArray<In>... in) {
  constexpr size_t kArrays = 1 + sizeof...(In);
  int64_t n = 1;
  for (int64_t size : sizes) n *= size;
  if (n == 0) return;
  const internal::LoopDims<kArrays> dims =
      internal::CollapseDims<kArrays>(sizes, {out.strides, in.strides...});
  const int outer = static_cast<int>(dims.size()) - 1;
  const auto walk = [&](int64_t begin, int64_t end) {
    internal::WalkDims<kArrays>(dims.data(), outer, begin, end, fn, out.data,
                                static_cast<const std::remove_const_t<In>*>(in.data)...);
  };
  const int64_t outer_size = dims[outer].size;
  if (n < 2 * internal::kLoopGrain) {
    walk(0, outer_size);
  } else {
    ParallelFor(outer_size, std::max<int64_t>(internal::kLoopGrain / (n / outer_size), 1), walk);
  }
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_ELEMENTWISE_LOOP_H_
