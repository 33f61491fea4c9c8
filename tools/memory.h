// Memory of this process as the operating system counts it.
#ifndef LEMMA_TOOLS_MEMORY_H_
#define LEMMA_TOOLS_MEMORY_H_

#include <cstdint>

namespace lemma::tools {

// Bytes that are in memory now, those of shared libraries and mapped files included; 0 where the
// system does not tell.
uint64_t CurrentResidentBytes();

// Bytes of memory that the machine has.
uint64_t PhysicalBytes();

// The most that it ever was, or since ResetPeakResidentBytes.
uint64_t PeakResidentBytes();

// Begins a new peak at what is in memory now. False where the system does not allow it; then the
// peak stays that of the whole process.
bool ResetPeakResidentBytes();

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_MEMORY_H_
