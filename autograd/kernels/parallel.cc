#include "autograd/kernels/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "absl/container/fixed_array.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "autograd/kernels/thread_team.h"

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
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) {
    return static_cast<int>(std::thread::hardware_concurrency());
  }
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

// As many threads as can run at a time.
int Processors() {
  static const int processors = [] {
    const int cores = PhysicalCores();
    return std::max(std::min(cores, QuotaOr(cores)), 1);
  }();
  return processors;
}

int DefaultThreads() {
  // OpenMP allows a list, for nested regions; the first counts here.
  const char* threads = std::getenv("OMP_NUM_THREADS");
  const int given = threads == nullptr ? 0 : std::atoi(threads);
  return given > 0 ? given : Processors();
}

std::atomic<int>& Threads() {
  static std::atomic<int> threads(DefaultThreads());
  return threads;
}

std::atomic<int64_t> parallel_regions = 0;

thread_local bool in_parallel = false;

// Each thread that calls has helpers of its own.
ThreadTeam& Team() {
  thread_local ThreadTeam team;
  return team;
}

// What the threads of a region run. It lies in as few cache lines as may be: the helpers fetch them
// one after the other before they can begin.
template <typename Fn>
class alignas(64) Job {
 public:
  explicit Job(const Fn& fn) : fn_(fn) {}

  void operator()(int step, int t) const {
    if (failed_.load(std::memory_order_relaxed)) return;
    in_parallel = true;
    try {
      fn_(step, t);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
    in_parallel = false;
  }

  void RethrowError() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const Fn fn_;
  mutable std::atomic<bool> failed_ = false;
  mutable std::mutex mutex_;
  mutable std::exception_ptr error_;
};

// Calls fn(step, t) for each step in [0, steps) and t in [0, threads), on threads of their own
// where they come in time.
template <typename Fn>
void RunOnThreads(int threads, int steps, const Fn& fn) {
  parallel_regions.fetch_add(1, std::memory_order_relaxed);
  const Job<Fn> job(fn);
  Team().Run(threads, steps, job);
  job.RethrowError();
}

// Chunks [0, count) cut into one run for each of some threads. A thread takes the chunks of its run
// in order; when it has none left, those at the ends of the others', so that a thread that the
// system slows down does not hold up the rest.
class SharedChunks {
 public:
  SharedChunks(int64_t count, int threads) : runs_(static_cast<size_t>(threads)) {
    for (int t = 0; t < threads; ++t) {
      runs_[t].bounds.store(Pack(count * t / threads, count * (t + 1) / threads),
                            std::memory_order_relaxed);
    }
  }

  // The next chunk for thread t; -1 when all are taken.
  int64_t Take(int t) {
    const auto threads = static_cast<int>(runs_.size());
    int64_t chunk = runs_[t].TakeFirst();
    for (int other = 1; chunk < 0 && other < threads; ++other) {
      chunk = runs_[(t + other) % threads].TakeLast();
    }
    return chunk;
  }

 private:
  static uint64_t Pack(int64_t begin, int64_t end) {
    return static_cast<uint64_t>(begin) << 32 | static_cast<uint64_t>(end);
  }

  struct alignas(64) Run {
    int64_t TakeFirst() {
      return Take([](int64_t& begin, int64_t&) { return begin++; });
    }
    int64_t TakeLast() {
      return Take([](int64_t&, int64_t& end) { return --end; });
    }

    template <typename Choose>
    int64_t Take(const Choose& choose) {
      uint64_t before = bounds.load(std::memory_order_relaxed);
      while (true) {
        int64_t begin = static_cast<int64_t>(before >> 32), end = static_cast<uint32_t>(before);
        if (begin >= end) return -1;
        const int64_t chunk = choose(begin, end);
        if (bounds.compare_exchange_weak(before, Pack(begin, end), std::memory_order_relaxed)) {
          return chunk;
        }
      }
    }

    std::atomic<uint64_t> bounds;
  };

  absl::FixedArray<Run, 8> runs_;
};

// Calls fn(c) for c in [0, count), shared by `threads` threads; each fits into 32 bits.
template <typename Fn>
void ShareChunks(int64_t count, int threads, const Fn& fn) {
  if (count <= threads) {
    return RunOnThreads(static_cast<int>(count), /*steps=*/1, [fn](int, int t) { fn(t); });
  }
  SharedChunks chunks(count, threads);
  RunOnThreads(threads, /*steps=*/1, [&](int, int t) {
    for (int64_t c = chunks.Take(t); c >= 0; c = chunks.Take(t)) fn(c);
  });
}

// How many indices a range of [0, n) has where there are `ranges`. Two threads never write into one
// cache line of a long array.
int64_t RangeSize(int64_t n, int64_t ranges) {
  const int64_t size = NumChunks(n, ranges);
  return size < 256 ? size : NumChunks(size, 64) * 64;
}

// How many threads, of at most `threads`, have `grain` of n indices each.
int64_t ThreadsFor(int64_t n, int64_t grain, int64_t threads) {
  return std::clamp<int64_t>(n / std::max<int64_t>(grain, 1), 1, threads);
}

}  // namespace

int NumThreads() { return Threads().load(std::memory_order_relaxed); }

void SetNumThreads(int threads) {
  Threads().store(std::max(threads, 1), std::memory_order_relaxed);
}

bool InParallel() { return in_parallel; }

int64_t ParallelRegions() { return parallel_regions.load(std::memory_order_relaxed); }

void ParallelFor(int64_t n, int64_t grain, absl::FunctionRef<void(int64_t, int64_t)> fn) {
  // Several for each thread, so that one that is done can take over from another, and as many for
  // each, so that none has to.
  constexpr int64_t kRangesPerThread = 4;
  if (n <= 0) return;
  const int64_t threads = ThreadsFor(n, grain, NumThreads());
  if (threads <= 1 || InParallel()) return fn(0, n);
  const int64_t most = n / std::max<int64_t>(grain, 1);
  const int64_t size = RangeSize(n, threads * std::min(kRangesPerThread, most / threads));
  ShareChunks(NumChunks(n, size), static_cast<int>(threads),
              [=](int64_t c) { fn(c * size, std::min(n, (c + 1) * size)); });
}

void ParallelSteps(absl::Span<const ParallelStep> steps) {
  // Threads that take turns on a processor would wait for each other at every step.
  const int64_t most = std::min(NumThreads(), Processors());
  int64_t threads = 1;
  for (const ParallelStep& step : steps) {
    threads = std::max(threads, ThreadsFor(step.n, step.grain, most));
  }
  if (threads <= 1 || InParallel()) {
    for (const ParallelStep& step : steps) {
      if (step.n > 0) step.fn(0, step.n);
    }
    return;
  }
  RunOnThreads(static_cast<int>(threads), static_cast<int>(steps.size()), [=](int s, int t) {
    const ParallelStep& step = steps[s];
    const int64_t size = RangeSize(step.n, ThreadsFor(step.n, step.grain, threads));
    const int64_t begin = t * size, end = std::min(step.n, begin + size);
    if (begin < end) step.fn(begin, end);
  });
}

void ParallelChunks(int64_t n, int64_t chunk_size,
                    absl::FunctionRef<void(int64_t, int64_t, int64_t)> fn) {
  if (n <= 0) return;
  const int64_t chunks = NumChunks(n, chunk_size);
  const auto run = [=](int64_t c) { fn(c, c * chunk_size, std::min(n, (c + 1) * chunk_size)); };
  const int64_t threads = std::min<int64_t>(NumThreads(), chunks);
  constexpr int64_t kMaxShared = std::numeric_limits<uint32_t>::max();
  if (threads <= 1 || chunks > kMaxShared || InParallel()) {
    for (int64_t c = 0; c < chunks; ++c) run(c);
    return;
  }
  ShareChunks(chunks, static_cast<int>(threads), run);
}

}  // namespace lemma::kernels
