// Memory of this process as the operating system counts it.
#ifndef LEMMA_TOOLS_MEMORY_H_
#define LEMMA_TOOLS_MEMORY_H_

#include <cstdint>

namespace lemma::tools {

// Bytes that are in memory now, those of shared libraries and mapped files included; 0 where the
// system does not tell.
uint64_t CurrentResidentBytes();

// The most that it ever was.
uint64_t PeakResidentBytes();

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_MEMORY_H_
