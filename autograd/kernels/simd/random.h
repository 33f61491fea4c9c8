// Vector code, chosen for the processor at run time, of the functions of kernels/reference/random.h
// on floats. Every bit of the results is the same; where the processor has no fused multiply-add
// the reference runs.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_RANDOM_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_RANDOM_H_

#include <cstddef>
#include <cstdint>

namespace lemma::kernels::simd {

// out[i] = low + (high - low) * u_i with u_i in [0, 1) from words[i].
void Uniform(const uint32_t* words, size_t count, float low, float high, float* out);

// Turns blocks of 16 uniforms into 16 normals each, in place.
void BoxMuller(float* data, size_t blocks, float mean, float std);

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_RANDOM_H_
