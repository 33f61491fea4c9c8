// What comes back from code that is graded, and who gives it: a process, or a file of outputs.
#ifndef LEMMA_TOOLS_GRADING_ANSWER_H_
#define LEMMA_TOOLS_GRADING_ANSWER_H_

#include <string>

#include "tools/grading/values.h"

namespace lemma::tools::grading {

// Why a call ended. All but the first are failures, each with a name of its own.
enum class Ending {
  kAnswered,
  kThrew,          // an exception
  kExited,         // exit(N), 0 included
  kSignal,         // abort, segmentation fault, ...
  kTimedOut,       // wall-clock time
  kProcessorTime,  // processor time
  kMemory,
  kFlood,    // printed without end
  kForged,   // bytes on the pipe of the answers that are no answer
  kMissing,  // a file of outputs lacks this one
};

// "exited", "processor_time": the names in reports.
const char* Name(Ending ending);

struct Answer {
  Ending ending = Ending::kAnswered;
  std::string text = {};  // of a failure: a sentence with "it" for the code
  Values outputs = {};
  Values inputs_after = {};  // as they are after the call; empty where nobody can tell
  int threads_left = 0, processes_left = 0;

  bool ok() const { return ending == Ending::kAnswered; }
};

struct Probe;

// Code that is graded.
class Examinee {
 public:
  virtual ~Examinee() = default;
  virtual Answer Ask(const Probe& probe) = 0;
  // From here on, answers come from a process that has answered nothing before.
  virtual void Renew() {}
  // The same, where that is worth its time: between checks, so that none suffers from another.
  virtual void RenewBetweenChecks() { Renew(); }
  // Whether it can be asked anything, not only what was exported before.
  virtual bool AnswersAnything() const { return true; }
  // What the code printed.
  virtual std::string Printed() const { return ""; }
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_ANSWER_H_
