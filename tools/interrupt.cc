#include "tools/interrupt.h"

#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "autograd/error.h"

namespace lemma::tools {
namespace {

// One press can arrive as two signals: timeout(1), for one, signals its child and then the child's
// group. What follows within this time is not a second wish.
constexpr int64_t kSamePressNs = 200'000'000;

// The saved registers alone take 11 KiB with AMX.
constexpr size_t kStackBytes = 128 * 1024;

std::atomic<bool> scope_lives = false;
std::atomic<int> received = 0;
std::atomic<int64_t> received_ns = 0;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<int64_t>::is_always_lock_free);

int64_t NowNs() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// Only calls that are safe in a signal handler.
void OnSignal(int signal_number) {
  const int saved_errno = errno;
  int none = 0;
  if (received.compare_exchange_strong(none, signal_number)) {
    received_ns = NowNs();
    constexpr char kText[] = "\nstopping and saving; once more stops at once\n";
    [[maybe_unused]] const ssize_t count = write(STDERR_FILENO, kText, sizeof(kText) - 1);
  } else if (NowNs() - received_ns > kSamePressNs) {
    _exit(128 + signal_number);
  }
  errno = saved_errno;
}

void Install(int signal_number, struct sigaction* old) {
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  action.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, SIGINT);
  sigaddset(&action.sa_mask, SIGTERM);
  sigaction(signal_number, nullptr, old);
  if (old->sa_handler != SIG_IGN) sigaction(signal_number, &action, nullptr);
}

}  // namespace

InterruptScope::InterruptScope() : stack_(new char[kStackBytes]), old_stack_{} {
  LEMMA_CHECK(!scope_lives.exchange(true), "a second InterruptScope");
  const stack_t stack = {.ss_sp = stack_.get(), .ss_flags = 0, .ss_size = kStackBytes};
  LEMMA_CHECK(sigaltstack(&stack, &old_stack_) == 0, "sigaltstack");
  received = 0;
  Install(SIGINT, &old_interrupt_);
  Install(SIGTERM, &old_terminate_);
}

InterruptScope::~InterruptScope() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  sigaltstack(&old_stack_, nullptr);
  scope_lives = false;
}

int InterruptScope::signal_number() const { return received; }

}  // namespace lemma::tools
