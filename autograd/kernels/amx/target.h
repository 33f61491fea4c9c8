// Marks of functions that use AMX and AVX-512, whatever the file is compiled for. Whoever calls one
// has asked the processor first.
#ifndef LEMMA_AUTOGRAD_KERNELS_AMX_TARGET_H_
#define LEMMA_AUTOGRAD_KERNELS_AMX_TARGET_H_

#define LEMMA_AMX                                                               \
  __attribute__((                                                               \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16," \
             "prfchw")))
#define LEMMA_AMX_LAMBDA LEMMA_AMX __attribute__((always_inline))
#define LEMMA_AMX_INLINE LEMMA_AMX_LAMBDA inline

#endif  // LEMMA_AUTOGRAD_KERNELS_AMX_TARGET_H_
