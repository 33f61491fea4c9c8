// From raw words of a random engine to uniform and normal numbers: the meaning of
// kernels/simd/random.h, which gives the same bits faster.
//
// All arithmetic is in T, in the order and with the fused multiply-adds that PyTorch's x86-64
// kernels have on machines with AVX2 and FMA, so the results are the same on every machine: where
// the processor lacks FMA, std::fma does it in software.
#ifndef LEMMA_AUTOGRAD_KERNELS_REFERENCE_RANDOM_H_
#define LEMMA_AUTOGRAD_KERNELS_REFERENCE_RANDOM_H_

#include <cstddef>
#include <cstdint>

namespace lemma::kernels::reference {

// out[i] = low + (high - low) * u_i, one fused multiply-add, where u_i in [0, 1) is a multiple of
// 2^-24 from the low 24 bits of words[i].
void Uniform(const uint32_t* words, size_t count, float low, float high, float* out);

// The same where u_i is a multiple of 2^-53 from the low 53 bits of words[2i] * 2^32 + words[2i+1].
void Uniform(const uint32_t* words, size_t count, double low, double high, double* out);

// Box and Muller's transform in place, on `blocks` blocks of 16 uniforms in [0, 1): of each,
// element j < 8 and element j + 8 make two normals with this mean and standard deviation,
//   r = sqrt(-2 log(1 - d[j])),  t = 2 pi d[j + 8],  d[j] = mean + std r cos t,  d[j + 8] = mean +
//   std r sin t.
// In float, log, sin and cos are the single-precision polynomials of the Cephes library (Moshier,
// 1992; absolute error about 1e-7), in double the C library's.
void BoxMuller(float* data, size_t blocks, float mean, float std);
void BoxMuller(double* data, size_t blocks, double mean, double std);

}  // namespace lemma::kernels::reference

#endif  // LEMMA_AUTOGRAD_KERNELS_REFERENCE_RANDOM_H_
