// Numbers as people read them: counts, bytes, durations.
#ifndef LEMMA_TOOLS_FORMAT_H_
#define LEMMA_TOOLS_FORMAT_H_

#include <cstdint>
#include <string>

namespace lemma::tools {

// "816,640"; "-1,000".
std::string FormatCount(int64_t count);

// In powers of 1,024, with one decimal: "0 B", "1,023 B", "3.1 MiB", "16.0 EiB".
std::string FormatBytes(uint64_t bytes);

// Rounded to the two largest units that are not zero at the front: "8 s", "1m 23s", "2h 05m",
// "3d 04h". Under ten seconds one decimal is kept: "0.4 s". What is no time, because it is
// negative, infinite or not a number, is "?".
std::string FormatDuration(double seconds);

// A share of a whole with one decimal: FormatPercent(16512, 816640) is "2.0 %". "-" of nothing.
std::string FormatPercent(double part, double whole);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FORMAT_H_
