// The main of tests that run themselves as the graded process: a child where the first argument
// says so, else GoogleTest.
//
//   const Registration kExits("exits", [](const Values&) -> Values { exit(0); });
//   int main(int argc, char** argv) { return TestOrChild(argc, argv); }
#ifndef LEMMA_TOOLS_GRADING_TESTING_MAIN_H_
#define LEMMA_TOOLS_GRADING_TESTING_MAIN_H_

#include "autograd/threads.h"
#include "gtest/gtest.h"
#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

inline int TestOrChild(int argc, char** argv) {
  if (IsChild(argc, argv)) return ChildMain(argc, argv);
  SetNumThreads(1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_TESTING_MAIN_H_
