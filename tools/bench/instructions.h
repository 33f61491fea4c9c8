// Instructions of a training step, counted by valgrind's callgrind: the same in every run, however
// busy the machine is. Valgrind has no AVX-512, so they are those of the AVX2 code.
#ifndef LEMMA_TOOLS_BENCH_INSTRUCTIONS_H_
#define LEMMA_TOOLS_BENCH_INSTRUCTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace lemma::tools::bench {

// Those of one step in `program`, which is counted_step. `folder` is for a temporary file.
// kNotFound where there is no valgrind.
absl::StatusOr<int64_t> CountInstructions(const std::string& program, const std::string& folder);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_INSTRUCTIONS_H_
