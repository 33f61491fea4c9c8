// The float gather and scatter-add kernels. See autograd/kernels/embedding.h for the contract.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_EMBEDDING_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_EMBEDDING_H_

#include <cstdint>

namespace lemma::kernels::simd {

void GatherRows(int64_t count, int64_t columns, const float* table, const int64_t* index,
                float* out);

void ScatterAddRows(int64_t count, int64_t columns, const float* src, const int64_t* index,
                    int64_t rows, float* table);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_EMBEDDING_H_
