// Working memory of a kernel: a buffer that a thread keeps and uses again, so that a call allocates
// nothing in a steady state.
//
//   float* sums = ThreadScratch<Slot::kPartialSums>(chunks * columns);
//
// The contents are undefined. A slot is in use until the caller is done: nested kernels of one
// thread take different slots.
#ifndef LEMMA_AUTOGRAD_KERNELS_SIMD_SCRATCH_H_
#define LEMMA_AUTOGRAD_KERNELS_SIMD_SCRATCH_H_

#include <cstdint>

#include "hwy/aligned_allocator.h"

namespace lemma::kernels::simd {

enum class Slot { kPartialSums, kAttention, kFewRows };

template <Slot kSlot>
float* ThreadScratch(int64_t count) {
  thread_local int64_t size = 0;
  thread_local hwy::AlignedFreeUniquePtr<float[]> buffer;
  if (size < count) {
    buffer = hwy::AllocateAligned<float>(static_cast<size_t>(count));
    size = count;
  }
  return buffer.get();
}

}  // namespace lemma::kernels::simd

#endif  // LEMMA_AUTOGRAD_KERNELS_SIMD_SCRATCH_H_
