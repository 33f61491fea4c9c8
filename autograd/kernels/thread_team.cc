#include "autograd/kernels/thread_team.h"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
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

// How many forks lie between this process and the one that made the first team.
std::atomic<int> forks = 0;

int Forks() {
  static const int registered = pthread_atfork(nullptr, nullptr, [] { ++forks; });
  (void)registered;
  return forks.load(std::memory_order_relaxed);
}

}  // namespace

// One helper, as it and its caller see it. The thread holds it too, so that it may end later than
// the team.
class ThreadTeam::Helper {
 public:
  using Function = absl::FunctionRef<void(int, int)>;

  explicit Helper(int number) : number_(number) {}

  // Offers the helper its part of a step. `stays_awake`: whether each thread has a processor.
  void Offer(Function fn, int step, bool stays_awake) {
    fn_.emplace(fn);
    step_ = step;
    stays_awake_.store(stays_awake, std::memory_order_relaxed);
    // The helper says that it sleeps before it looks for an offer for the last time, and here it is
    // the other way round, so that none sleeps on.
    state_.store(kOffered);
    if (asleep_.load()) Wake();
  }

  // Whether the helper has not begun, and now won't.
  bool TakeBack() { return Move(kOffered, kIdle); }

  // Returns when the part that the helper began is done.
  void AwaitDone() const {
    for (int round = 0; state_.load(std::memory_order_acquire) == kTaken; ++round) {
      if (round < kPausesBeforeYielding && stays_awake_.load(std::memory_order_relaxed)) {
        if (round >= kPollsBeforePausing) hwy::Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  void Stop() {
    stopped_.store(true);
    Wake();
  }

  // The life of the helper.
  void Help() {
    while (true) {
      AwaitOffer();
      if (stopped_.load()) return;
      if (!Move(kOffered, kTaken)) continue;
      (*fn_)(step_, number_);
      state_.store(kIdle, std::memory_order_release);
    }
  }

 private:
  enum State { kIdle, kOffered, kTaken };
  // A pause lasts as long as what is waited for often does.
  static constexpr int kPollsBeforePausing = 32;
  static constexpr int kPausesBeforeYielding = 2000;

  bool Move(State from, State to) {
    return state_.compare_exchange_strong(from, to, std::memory_order_acq_rel);
  }

  bool HasOffer() const { return state_.load() == kOffered || stopped_.load(); }

  void AwaitOffer() {
    Clock::time_point begin;
    for (int round = 0; stays_awake_.load(std::memory_order_relaxed); ++round) {
      for (int i = 0; i < 64; ++i) {
        if (HasOffer()) return;
        if (round > 0 || i >= kPollsBeforePausing) hwy::Pause();
      }
      // An offer that comes soon is not kept waiting by a look at the clock.
      const Clock::time_point now = Clock::now();
      if (round == 0) begin = now;
      if (now - begin >= kAwake) break;
    }
    std::unique_lock lock(mutex_);
    asleep_.store(true);
    while (!HasOffer()) wake_.wait(lock);
    asleep_.store(false);
  }

  void Wake() {
    { const std::lock_guard lock(mutex_); }
    wake_.notify_one();
  }

  // What an offer consists of lies in one cache line.
  alignas(64) std::atomic<State> state_ = kIdle;
  const int number_;
  std::optional<Function> fn_;  // of the offer, while it is not done
  int step_ = 0;
  std::atomic<bool> stays_awake_ = false;
  std::atomic<bool> asleep_ = false;
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
};

ThreadTeam::ThreadTeam() : forks_(Forks()) {}

ThreadTeam::~ThreadTeam() {
  ForgetHelpersOfAnotherProcess();
  for (const auto& helper : helpers_) helper->Stop();
}

// Their threads are not in this process, and may have left their locks locked.
void ThreadTeam::ForgetHelpersOfAnotherProcess() {
  if (forks_ == Forks()) return;
  new std::vector<std::shared_ptr<Helper>>(std::move(helpers_));
  helpers_.clear();
  forks_ = Forks();
}

void ThreadTeam::Run(int threads, int steps, absl::FunctionRef<void(int, int)> fn) {
  static const int processors = IsPassive() ? 0 : AllowedProcessors();
  ForgetHelpersOfAnotherProcess();
  while (static_cast<int>(helpers_.size()) < threads - 1) {
    helpers_.push_back(std::make_shared<Helper>(static_cast<int>(helpers_.size()) + 1));
    try {
      std::thread([helper = helpers_.back()] { helper->Help(); }).detach();
    } catch (const std::system_error&) {
      // It never comes, and the caller does its part.
    }
  }
  for (int step = 0; step < steps; ++step) {
    for (int t = 1; t < threads; ++t) helpers_[t - 1]->Offer(fn, step, threads <= processors);
    fn(step, 0);
    for (int t = 1; t < threads; ++t) {
      if (helpers_[t - 1]->TakeBack()) fn(step, t);
    }
    for (int t = 1; t < threads; ++t) helpers_[t - 1]->AwaitDone();
  }
}

}  // namespace lemma::kernels
