// The process in which a learner's code runs: it reads inputs from one pipe, calls the function,
// and writes what came out to another. It judges nothing and knows no right answer.
//
// Each exercise's binding registers the learner's function; programs that hold solutions and known
// mistakes register those too, each under a name of its own. The first argument chooses:
//
//   PROGRAM --grading_child=causal_attention/homework
#ifndef LEMMA_TOOLS_GRADING_CHILD_MAIN_H_
#define LEMMA_TOOLS_GRADING_CHILD_MAIN_H_

#include <signal.h>

#include <functional>
#include <string>

#include "tools/grading/values.h"

namespace lemma::tools::grading {

using Callable = std::function<Values(const Values& inputs)>;

// Where the child finds its pipes.
constexpr int kRequestFile = 3;
constexpr int kAnswerFile = 4;

// How the child's main ends where the learner's code is not to blame for calling exit: its pipes
// are closed or hold something else; the program holds no such function; it ran out of stack.
constexpr int kLostPipes = 122, kNoSuchFunction = 123;
constexpr int kStackSignal = SIGSTKFLT;

// At namespace scope: makes `function` known as "EXERCISE/NAME". The learner's is
// "EXERCISE/homework".
class Registration {
 public:
  Registration(const std::string& name, Callable function);
};

// The argument that makes a program a child, and runs one function.
std::string ChildArgument(const std::string& name);
bool IsChild(int argc, const char* const* argv);
// The child's main. Returns its exit status: 0 at the end of the requests, or one of those above.
int ChildMain(int argc, const char* const* argv);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_CHILD_MAIN_H_
