// Work in processes of its own: what crashes or hangs there leaves this one whole.
//
//   RunInProcesses(files.size(), 4, [&](size_t i) { return Judged(files[i]); },
//                  [&](size_t i, const absl::StatusOr<std::string>& result) { ... },
//                  [&] { return interrupt.requested(); });
#ifndef LEMMA_TOOLS_PROCESS_POOL_H_
#define LEMMA_TOOLS_PROCESS_POOL_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace lemma::tools {

// Calls work(0) ... work(count - 1), each in a forked process, `jobs` of them at a time, and hands
// what it returned to `done`, here and in the order in which they end. An exception's text, or how
// the process died, comes as an error. `stop` is asked now and then: once it is true nothing more
// is begun, and what runs is ended and not reported. Each process has a group of its own, so that a
// Ctrl-C at the terminal does not reach it, and dies with this one.
//
// Only the calling thread is there after a fork: call it from a program that has no others.
void RunInProcesses(size_t count, int jobs, const std::function<std::string(size_t)>& work,
                    const std::function<void(size_t, const absl::StatusOr<std::string>&)>& done,
                    const std::function<bool()>& stop);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_PROCESS_POOL_H_
