// Element-wise loops over tensors: kernels/elementwise_loop.h with types, shapes and strides taken
// from its arguments. For forwards; `y` is the call's dense output, which may lie in the memory of
// an input that was given up.
//
//   VisitFloat(x.dtype(), [&]<typename T>() {
//     UnaryLoop<T, T>(x, [](auto v) { return std::sqrt(v); }, call.OutputOver(0, 0));
//   });
#ifndef LEMMA_AUTOGRAD_OPS_LOOPS_H_
#define LEMMA_AUTOGRAD_OPS_LOOPS_H_

#include "autograd/kernels/elementwise_loop.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"

namespace lemma {

// y = fn(x); both have the same shape.
template <typename Out, typename T, typename Fn>
void UnaryLoop(const Tensor& x, Fn fn, Tensor& y) {
  const T* from = x.data<T>();
  Out* to = y.mutable_data<Out>();
  if (x.IsContiguous()) {
    kernels::ElementwiseFlat(x.numel(), fn, to, from);
  } else {
    kernels::ElementwiseLoop(x.shape().sizes(), fn,
                             kernels::StridedArray<Out>{to, y.strides().data()},
                             kernels::StridedArray<const T>{from, x.strides().data()});
  }
}

// y = fn(a, b), with a and b broadcast to the shape of y.
template <typename Out, typename A, typename B, typename Fn>
void BinaryLoop(const Tensor& a, const Tensor& b, Fn fn, Tensor& y) {
  const A* left = a.data<A>();
  const B* right = b.data<B>();
  Out* to = y.mutable_data<Out>();
  if (a.IsContiguous() && b.IsContiguous() && a.shape() == b.shape()) {
    kernels::ElementwiseFlat(y.numel(), fn, to, left, right);
    return;
  }
  const Strides a_strides = BroadcastStrides(a.shape(), a.strides(), y.shape());
  const Strides b_strides = BroadcastStrides(b.shape(), b.strides(), y.shape());
  kernels::ElementwiseLoop(y.shape().sizes(), fn,
                           kernels::StridedArray<Out>{to, y.strides().data()},
                           kernels::StridedArray<const A>{left, a_strides.data()},
                           kernels::StridedArray<const B>{right, b_strides.data()});
}

// y = fn(a, b, c), with all three broadcast to the shape of y.
template <typename Out, typename A, typename B, typename C, typename Fn>
void TernaryLoop(const Tensor& a, const Tensor& b, const Tensor& c, Fn fn, Tensor& y) {
  const Strides a_strides = BroadcastStrides(a.shape(), a.strides(), y.shape());
  const Strides b_strides = BroadcastStrides(b.shape(), b.strides(), y.shape());
  const Strides c_strides = BroadcastStrides(c.shape(), c.strides(), y.shape());
  const A* first = a.data<A>();
  const B* second = b.data<B>();
  const C* third = c.data<C>();
  kernels::ElementwiseLoop(y.shape().sizes(), fn,
                           kernels::StridedArray<Out>{y.mutable_data<Out>(), y.strides().data()},
                           kernels::StridedArray<const A>{first, a_strides.data()},
                           kernels::StridedArray<const B>{second, b_strides.data()},
                           kernels::StridedArray<const C>{third, c_strides.data()});
}

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_LOOPS_H_
