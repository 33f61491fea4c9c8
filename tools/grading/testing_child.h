// For tests that start themselves as the graded process and ask it once.
#ifndef LEMMA_TOOLS_GRADING_TESTING_CHILD_H_
#define LEMMA_TOOLS_GRADING_TESTING_CHILD_H_

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "autograd/create.h"
#include "gtest/gtest.h"
#include "tools/grading/answer.h"
#include "tools/grading/child_main.h"
#include "tools/grading/child_process.h"
#include "tools/grading/limited_process.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

inline ChildLimits TestLimits(double wall_seconds = 10) {
  ChildLimits limits;
  limits.wall_seconds = wall_seconds;
  limits.cpu_seconds = 1;
  limits.memory_bytes = int64_t{400} << 20;
  return limits;
}

inline std::unique_ptr<ChildProcess> StartChild(const std::string& name,
                                                const ChildLimits& limits = TestLimits()) {
  auto child = ChildProcess::Start({"/proc/self/exe", {ChildArgument(name)}}, limits);
  EXPECT_TRUE(child.ok()) << child.status();
  return *std::move(child);
}

// "x" float32 (3,), "n" int64 4.
inline Values TestInputs() {
  return Values().Add("x", FromValues<float>({1, 2, 3})).Add("n", int64_t{4});
}

inline Answer AnswerOf(const std::string& name, const ChildLimits& limits = TestLimits()) {
  return StartChild(name, limits)->Ask(TestInputs());
}

inline void ExpectEnding(const std::string& name, Ending ending, const std::string& text,
                         const ChildLimits& limits = TestLimits()) {
  const Answer answer = AnswerOf(name, limits);
  EXPECT_STREQ(Name(answer.ending), Name(ending)) << name << ": " << answer.text;
  EXPECT_TRUE(absl::StrContains(answer.text, text)) << answer.text;
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_TESTING_CHILD_H_
