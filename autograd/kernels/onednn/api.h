// What differs between versions 2 and 3 of oneDNN, so that everything else builds with either.
#ifndef LEMMA_AUTOGRAD_KERNELS_ONEDNN_API_H_
#define LEMMA_AUTOGRAD_KERNELS_ONEDNN_API_H_

#include "oneapi/dnnl/dnnl.hpp"

namespace lemma::kernels::onednn {

// The best implementation of dst = src weights [+ bias] for these layouts. `bias` may be null.
inline dnnl::matmul::primitive_desc MatMulPrimitiveDesc(const dnnl::engine& engine,
                                                        const dnnl::memory::desc& src,
                                                        const dnnl::memory::desc& weights,
                                                        const dnnl::memory::desc* bias,
                                                        const dnnl::memory::desc& dst,
                                                        const dnnl::primitive_attr& attributes) {
#if DNNL_VERSION_MAJOR >= 3
  if (bias != nullptr) return {engine, src, weights, *bias, dst, attributes};
  return {engine, src, weights, dst, attributes};
#else
  if (bias != nullptr) {
    return {dnnl::matmul::desc(src, weights, *bias, dst), attributes, engine};
  }
  return {dnnl::matmul::desc(src, weights, dst), attributes, engine};
#endif
}

}  // namespace lemma::kernels::onednn

#endif  // LEMMA_AUTOGRAD_KERNELS_ONEDNN_API_H_
