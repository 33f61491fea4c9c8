#include "autograd/kernels/thread_team.h"

#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "hwy/cache_control.h"

namespace lemma::kernels {
namespace {

using Clock = std::chrono::steady_clock;

// How long a helper without work stays awake: longer than what a step does on one thread between
// two regions, shorter than anybody would notice.
constexpr auto kAwake = std::chrono::microseconds(500);

int AllowedProcessors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return 1;
  return CPU_COUNT(&allowed);
}

// Whether threads should sleep at once, as OpenMP is told by the same variable.
bool IsPassive() {
  const char* policy = std::getenv("OMP_WAIT_POLICY");
  if (policy == nullptr) return false;
  return std::string_view(policy) == "passive" || std::string_view(policy) == "PASSIVE";
}

}  // namespace

// What the caller and its helpers have in common. It outlives the team until the last helper ends.
class ThreadTeam::Shared {
 public:
  // Makes room for one more part. Nobody may be inside of a region.
  void AddPart() { parts_.emplace_back(); }

  // Opens a region to the helpers below `threads` and does the caller's part, and those of helpers
  // that do not come. Returns when nobody is inside.
  void RunRegion(int threads, int steps, absl::FunctionRef<void(int, int)> fn) {
    fn_.emplace(fn);
    threads_.store(threads, std::memory_order_relaxed);
    steps_ = steps;
    const uint64_t region = (word_.load(std::memory_order_relaxed) / kRegion + 1) % kRegion;
    word_.store(region * kRegion | kOpen);
    if (sleepers_.load() > 0) WakeAll();
    fn(0, 0);
    const int absent = threads - 1 - Close(region, threads);
    for (int step = 0; step < steps; ++step) {
      if (step > 0) fn(step, 0);
      for (int t = 1; absent > 0 && t < threads; ++t) {
        if (parts_[t].joined.load(std::memory_order_relaxed) != region) {
          fn(step, t);
          parts_[t].SetDone(region, step);
        }
      }
      if (step + 1 < steps) FinishStep(region, step, 0);
    }
    SpinUntil([&] { return Inside(word_.load(std::memory_order_acquire)) == 0; });
  }

  void Stop() {
    stopped_.store(true);
    WakeAll();
  }

  // The life of a helper.
  void Help(int number) {
    uint64_t seen = 0;  // the last region that it has looked at
    while (true) {
      const uint64_t word = AwaitRegionAfter(seen);
      if (stopped_.load()) return;
      seen = word / kRegion;
      if (number >= threads_.load(std::memory_order_relaxed) || !Join(word)) continue;
      parts_[number].joined.store(seen, std::memory_order_release);
      for (int step = 0; step < steps_; ++step) {
        (*fn_)(step, number);
        if (step + 1 < steps_) FinishStep(seen, step, number);
      }
      word_.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

 private:
  // The word numbers the regions above bit 32, says whether the last one is open to helpers, and
  // counts those that joined it and those that are still inside.
  static constexpr uint64_t kRegion = uint64_t{1} << 32;
  static constexpr uint64_t kOpen = uint64_t{1} << 31;
  static constexpr uint64_t kJoined = uint64_t{1} << 16;
  static constexpr int kPausesBeforeYielding = 2000;

  // How far one number's part of a region is.
  struct alignas(64) Part {
    std::atomic<uint64_t> joined = 0;  // the last region that its helper was inside of
    std::atomic<uint64_t> done = 0;    // the last region above bit 32, and how many of its steps

    void SetDone(uint64_t region, int step) {
      done.store(region * kRegion + step + 1, std::memory_order_release);
    }
    bool IsDone(uint64_t region, int step) const {
      const uint64_t now = done.load(std::memory_order_acquire);
      return now / kRegion == region && now % kRegion > static_cast<uint64_t>(step);
    }
  };

  template <typename Condition>
  static void SpinUntil(const Condition& holds) {
    for (int round = 0; !holds(); ++round) {
      if (round < kPausesBeforeYielding) {
        hwy::Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  // Lets no more helpers in. How many came, each of which has said so in its part.
  int Close(uint64_t region, int threads) {
    const int joined = Joined(word_.fetch_and(~kOpen, std::memory_order_acq_rel));
    const auto said_so = [&] {
      int count = 0;
      for (int t = 1; t < threads; ++t) {
        count += parts_[t].joined.load(std::memory_order_acquire) == region ? 1 : 0;
      }
      return count == joined;
    };
    SpinUntil(said_so);
    return joined;
  }

  // Part t of a step is done; returns when all are.
  void FinishStep(uint64_t region, int step, int t) {
    parts_[t].SetDone(region, step);
    const int threads = threads_.load(std::memory_order_relaxed);
    for (int other = 0; other < threads; ++other) {
      SpinUntil([&] { return parts_[other].IsDone(region, step); });
    }
  }

  static uint64_t Inside(uint64_t word) { return word & (kJoined - 1); }
  static int Joined(uint64_t word) { return static_cast<int>((word & (kOpen - 1)) / kJoined); }

  bool IsNew(uint64_t word, uint64_t seen) const {
    return (word / kRegion != seen && (word & kOpen) != 0) || stopped_.load();
  }

  uint64_t AwaitRegionAfter(uint64_t seen) {
    static const int processors = IsPassive() ? 0 : AllowedProcessors();
    const bool stays_awake = threads_.load(std::memory_order_relaxed) <= processors;
    uint64_t word = word_.load();
    for (const auto begin = Clock::now(); stays_awake && Clock::now() - begin < kAwake;) {
      for (int i = 0; i < 64; ++i) {
        if (IsNew(word, seen)) return word;
        hwy::Pause();
        word = word_.load(std::memory_order_acquire);
      }
    }
    std::unique_lock lock(mutex_);
    ++sleepers_;
    while (!IsNew(word = word_.load(), seen)) wake_.wait(lock);
    --sleepers_;
    return word;
  }

  // False when the region was closed meanwhile.
  bool Join(uint64_t word) {
    const uint64_t region = word / kRegion;
    while (word / kRegion == region && (word & kOpen) != 0) {
      if (word_.compare_exchange_weak(word, word + kJoined + 1, std::memory_order_acq_rel)) {
        return true;
      }
    }
    return false;
  }

  // A helper counts itself as a sleeper before it looks at the word for the last time, and the
  // caller looks at the sleepers after it has changed the word, so that none sleeps on.
  void WakeAll() {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_all();
  }

  // What a helper reads when a region opens lies in one cache line.
  alignas(64) std::atomic<uint64_t> word_ = 0;
  std::optional<absl::FunctionRef<void(int, int)>> fn_;  // of the region, while anyone is inside
  int steps_ = 0;
  std::atomic<int> threads_ = 0;
  std::atomic<bool> stopped_ = false;
  alignas(64) std::atomic<int> sleepers_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Part> parts_;
};

ThreadTeam::ThreadTeam() : shared_(std::make_shared<Shared>()) { shared_->AddPart(); }

ThreadTeam::~ThreadTeam() { shared_->Stop(); }

void ThreadTeam::Run(int threads, int steps, absl::FunctionRef<void(int, int)> fn) {
  while (helpers_ < threads - 1) {
    shared_->AddPart();
    try {
      std::thread([shared = shared_, number = ++helpers_] { shared->Help(number); }).detach();
    } catch (const std::system_error&) {
      // It never comes, and the caller does its part.
    }
  }
  shared_->RunRegion(threads, steps, fn);
}

}  // namespace lemma::kernels
