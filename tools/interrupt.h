// Ctrl-C as a wish, not a blow: the program finishes what it does, saves, and ends.
//
//   InterruptScope interrupt;
//   while (step < steps && !interrupt.requested()) TrainStep();
//   if (interrupt.requested()) SaveAndSayHowToResume();
//
// The first SIGINT or SIGTERM says on stderr that the program will stop and sets the flag. The
// second ends the process at once, with status 128 + signal number, as a shell would report it.
//
// Handlers run on a stack of their own. oneDNN's generated kernels keep the stack pointer in memory
// of the heap while they run, and a handler on the interrupted stack would write over what lies
// there. A program with handlers of its own needs sigaltstack and SA_ONSTACK as well.
#ifndef LEMMA_TOOLS_INTERRUPT_H_
#define LEMMA_TOOLS_INTERRUPT_H_

#include <signal.h>

#include <memory>

namespace lemma::tools {

// While it lives, the two signals are handled as above; then the handlers from before are back.
// One at a time in a process, on the thread that made it. A signal that is ignored when it begins
// (nohup, a background job of a script) stays ignored.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Whether a signal has come. May be asked from any thread.
  bool requested() const { return signal_number() != 0; }

  // SIGINT, SIGTERM, or 0.
  int signal_number() const;

 private:
  std::unique_ptr<char[]> stack_;
  stack_t old_stack_;
  struct sigaction old_interrupt_;
  struct sigaction old_terminate_;
};

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_INTERRUPT_H_
