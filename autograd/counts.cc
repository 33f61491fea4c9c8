#include "autograd/counts.h"

#include "autograd/kernels/matmul.h"
#include "autograd/kernels/parallel.h"
#include "autograd/node.h"
#include "autograd/storage.h"

namespace lemma {

EngineCounts operator-(const EngineCounts& a, const EngineCounts& b) {
  return {.recorded_calls = a.recorded_calls - b.recorded_calls,
          .parallel_regions = a.parallel_regions - b.parallel_regions,
          .primitives = a.primitives - b.primitives,
          .allocations = a.allocations - b.allocations,
          .system_allocations = a.system_allocations - b.system_allocations,
          .allocated_bytes = a.allocated_bytes - b.allocated_bytes};
}

EngineCounts GetEngineCounts() {
  const MemoryStats memory = GetMemoryStats();
  return {.recorded_calls = Node::CallsRecorded(),
          .parallel_regions = kernels::ParallelRegions(),
          .primitives = kernels::MatMulPrimitivesCreated(),
          .allocations = memory.allocations,
          .system_allocations = memory.system_allocations,
          .allocated_bytes = memory.allocated_bytes};
}

}  // namespace lemma
