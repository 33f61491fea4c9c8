// What the engine has done since the program began, on all threads: what a step costs apart from
// time.
//
//   const EngineCounts before = GetEngineCounts();
//   Step();
//   const EngineCounts step = GetEngineCounts() - before;   // step.system_allocations is 0
#ifndef LEMMA_AUTOGRAD_COUNTS_H_
#define LEMMA_AUTOGRAD_COUNTS_H_

#include <cstdint>

namespace lemma {

struct EngineCounts {
  int64_t recorded_calls = 0;      // of ops: nodes of graphs
  int64_t parallel_regions = 0;    // that more than one thread was asked to share
  int64_t primitives = 0;          // created by oneDNN
  int64_t allocations = 0;         // requests of storage
  int64_t system_allocations = 0;  // of these, not served from the cache
  int64_t allocated_bytes = 0;     // of all requests together

  friend EngineCounts operator-(const EngineCounts& a, const EngineCounts& b);
  friend bool operator==(const EngineCounts&, const EngineCounts&) = default;
};

EngineCounts GetEngineCounts();

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_COUNTS_H_
