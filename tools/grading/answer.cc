#include "tools/grading/answer.h"

namespace lemma::tools::grading {

const char* Name(Ending ending) {
  switch (ending) {
    case Ending::kAnswered:
      return "answered";
    case Ending::kThrew:
      return "threw";
    case Ending::kExited:
      return "exited";
    case Ending::kSignal:
      return "signal";
    case Ending::kTimedOut:
      return "timed_out";
    case Ending::kProcessorTime:
      return "processor_time";
    case Ending::kMemory:
      return "memory";
    case Ending::kFlood:
      return "flood";
    case Ending::kForged:
      return "forged";
    case Ending::kMissing:
      return "missing";
  }
  return "?";
}

}  // namespace lemma::tools::grading
