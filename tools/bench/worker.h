// A worker runs workloads when it is told to, by lines on its standard input: the programs that
// take part in a benchmark are workers, so that they can be run in turn, a little each time. This
// program is one too; a worker in another language need only speak the same lines:
//
//   > prepare {"workload": "course-b12", "kind": "train", ...}      a Task, see task.h
//   < ok {"name": "Lemma", "version": "", "mode": "", "parameters": 816640, "idle_bytes": 18350080}
//   > run 3
//   < ok {"unit_ms": [41.2, 33.9, 33.8], "loss": 4.1, "peak_bytes": 96468992}
//   > exit
//
// or, instead of ok, `error` and a sentence. idle_bytes is the memory of the started program before
// it prepared anything, peak_bytes the most that it had during this run, both as the system counts
// resident memory. The worker ends at `exit` or at the end of its input.
#ifndef LEMMA_TOOLS_BENCH_WORKER_H_
#define LEMMA_TOOLS_BENCH_WORKER_H_

#include <istream>
#include <ostream>

namespace lemma::tools::bench {

// Serves requests until the end.
void ServeRequests(std::istream& in, std::ostream& out);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_WORKER_H_
