// Threads of the kernels. There are no others: what oneDNN is given runs on the thread that calls.
//
//   ParallelFor(n, /*grain=*/4096, [&](int64_t begin, int64_t end) {
//     for (int64_t i = begin; i < end; ++i) y[i] = std::exp(x[i]);
//   });
//
// ParallelFor's ranges depend on the number of threads, so its function must compute each index by
// itself. A sum over indices is split with ParallelChunks instead, whose chunks depend on n alone;
// the chunks' sums are then added in order, and the bits are the same for any number of threads:
//
//   std::vector<double> sums(NumChunks(n, 4096));
//   ParallelChunks(n, 4096, [&](int64_t chunk, int64_t begin, int64_t end) {
//     for (int64_t i = begin; i < end; ++i) sums[chunk] += x[i];
//   });
//   const double sum = std::accumulate(sums.begin(), sums.end(), 0.0);
//
// All of them run on the calling thread alone when there is too little to share, and when they are
// called from inside one of their own functions. An exception that a function throws reaches the
// caller; when several throw, one of them does. Any number of threads may call them at a time; each
// caller has helpers of its own, and so has a forked process.
#ifndef LEMMA_AUTOGRAD_KERNELS_PARALLEL_H_
#define LEMMA_AUTOGRAD_KERNELS_PARALLEL_H_

#include <cstdint>
#include <functional>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace lemma::kernels {

// How many threads take part, the caller included. At first OMP_NUM_THREADS where it is a number,
// else the physical cores that the process may use by its affinity, no more than its cgroup's
// quota.
int NumThreads();

// Changes it for the whole process, from the next call on; at least 1.
void SetNumThreads(int threads);

// True inside a function of these that shares the work with other threads.
bool InParallel();

// How many times more than one thread was asked to share work, since the program began.
int64_t ParallelRegions();

// Calls fn(begin, end) over disjoint ranges that cover [0, n), some for each thread, none but the
// last shorter than `grain` (at least 1): as many indices as are worth handing to a thread, which
// costs about 1 us.
void ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t begin, int64_t end)> fn);

// One of several loops over [0, n) that follow each other, with ParallelFor's grain.
struct ParallelStep {
  int64_t n = 0;
  int64_t grain = 1;
  std::function<void(int64_t begin, int64_t end)> fn;
};

// ParallelFor of each step, none before the one before has ended, with one range for each thread,
// of which there are no more than processors. For loops of a few microseconds, of which each needs
// what the one before wrote: the threads stay together from one to the next. After an exception
// what has not begun is left out.
void ParallelSteps(absl::Span<const ParallelStep> steps);

constexpr int64_t NumChunks(int64_t n, int64_t chunk_size) {
  return (n + chunk_size - 1) / chunk_size;
}

// Calls fn(c, c * chunk_size, min((c + 1) * chunk_size, n)) for every c in [0, NumChunks).
// Each thread has a run of neighbouring chunks, which it takes in order; one that is done with its
// own takes over from the ends of the others' runs.
void ParallelChunks(int64_t n, int64_t chunk_size,
                    absl::FunctionRef<void(int64_t chunk, int64_t begin, int64_t end)> fn);

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_PARALLEL_H_
