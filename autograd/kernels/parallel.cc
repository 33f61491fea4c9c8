#include "autograd/kernels/parallel.h"

#include <omp.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <set>
#include <string>

namespace lemma::kernels {
namespace {

// The first processor of the core that `cpu` belongs to: one number per physical core.
int FirstSibling(int cpu) {
  std::ifstream siblings("/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                         "/topology/thread_siblings_list");
  int first = cpu;
  return siblings >> first ? first : cpu;
}

int PhysicalCores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return omp_get_num_procs();
  std::set<int> cores;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) cores.insert(FirstSibling(cpu));
  }
  return static_cast<int>(cores.size());
}

// The cgroup's quota in processors, rounded up; `otherwise` where there is none.
int QuotaOr(int otherwise) {
  double quota = 0, period = 0;
  std::ifstream v2("/sys/fs/cgroup/cpu.max");  // "max 100000" or "150000 100000"
  if (!(v2 >> quota >> period)) {
    std::ifstream v1_quota("/sys/fs/cgroup/cpu/cpu.cfs_quota_us");
    std::ifstream v1_period("/sys/fs/cgroup/cpu/cpu.cfs_period_us");
    if (!(v1_quota >> quota && v1_period >> period)) return otherwise;
  }
  if (quota <= 0 || period <= 0) return otherwise;
  return static_cast<int>(std::ceil(quota / period));
}

int DefaultThreads() {
  if (std::getenv("OMP_NUM_THREADS") != nullptr) return std::max(omp_get_max_threads(), 1);
  const int cores = PhysicalCores();
  return std::max(std::min(cores, QuotaOr(cores)), 1);
}

std::atomic<int>& Threads() {
  static std::atomic<int> threads(DefaultThreads());
  return threads;
}

std::atomic<int64_t> parallel_regions = 0;

// Calls fn(t) for t in [0, threads), each on a thread of its own.
template <typename Fn>
void RunOnThreads(int threads, const Fn& fn) {
  parallel_regions.fetch_add(1, std::memory_order_relaxed);
  std::exception_ptr error;
#pragma omp parallel num_threads(threads)
  {
    // Fewer threads may come than were asked for.
    for (int t = omp_get_thread_num(); t < threads; t += omp_get_num_threads()) {
      try {
        fn(t);
      } catch (...) {
#pragma omp critical(lemma_parallel_error)
        error = std::current_exception();
      }
    }
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace

int NumThreads() { return Threads().load(std::memory_order_relaxed); }

void SetNumThreads(int threads) {
  Threads().store(std::max(threads, 1), std::memory_order_relaxed);
  omp_set_num_threads(std::max(threads, 1));
}

bool InParallel() { return omp_in_parallel() != 0; }

int64_t ParallelRegions() { return parallel_regions.load(std::memory_order_relaxed); }

void ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t, int64_t)> fn) {
  if (n <= 0) return;
  const int64_t ranges = std::min<int64_t>(NumThreads(), n / std::max<int64_t>(grain, 1));
  if (ranges <= 1 || InParallel()) return fn(0, n);
  int64_t size = NumChunks(n, ranges);
  // Two threads then never write into one cache line of a long array.
  if (size >= 1024) size = NumChunks(size, 64) * 64;
  RunOnThreads(static_cast<int>(ranges), [&](int t) {
    const int64_t begin = t * size, end = std::min(n, begin + size);
    if (begin < end) fn(begin, end);
  });
}

void ParallelChunks(int64_t n, int64_t chunk_size,
                    absl::FunctionRef<void(int64_t, int64_t, int64_t)> fn) {
  if (n <= 0) return;
  const int64_t chunks = NumChunks(n, chunk_size);
  const auto run = [&](int64_t first, int64_t last) {
    for (int64_t c = first; c < last; ++c) {
      fn(c, c * chunk_size, std::min(n, (c + 1) * chunk_size));
    }
  };
  const int64_t threads = std::min<int64_t>(NumThreads(), chunks);
  if (threads <= 1 || InParallel()) return run(0, chunks);
  RunOnThreads(static_cast<int>(threads),
               [&](int t) { run(chunks * t / threads, chunks * (t + 1) / threads); });
}

}  // namespace lemma::kernels
