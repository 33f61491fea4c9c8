// The targets that the vector kernels are compiled for: AVX-512 (AVX3), AVX2 with FMA, and the
// baseline of the compiler. Between these Highway chooses at run time. Fewer targets, shorter
// builds. Include it before any header of Highway.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_TARGETS_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_TARGETS_H_

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_TARGETS_H_
