// Runs the checks of an exercise on code, in order, and draws the conclusions.
//
//   Report report = Judge(exercise, examinee, {.seed = 7});
//
// A check whose prerequisites failed is not run: one mistake is billed once. Each check starts with
// a process of its own, and whatever ends it, the others go on.
#ifndef LEMMA_TOOLS_GRADING_JUDGE_H_
#define LEMMA_TOOLS_GRADING_JUDGE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "tools/grading/answer.h"
#include "tools/grading/exercise.h"
#include "tools/grading/report.h"

namespace lemma::tools::grading {

struct JudgeOptions {
  uint64_t seed = 1;
  // Runs every check, whatever failed before it: for the proof that each is worth its place.
  bool all_checks = false;
  bool witness = true;
  // Checks that are left out, such as those that ask twice where answers come from a file.
  std::set<std::string> left_out = {};
  // By check, in the place of its own weight.
  std::map<std::string, double> weights = {};
  // Called after each check, with what is known so far.
  std::function<void(const Report&)> progress = {};
};

// The checks that Judge will run, none judged yet.
Report PlannedReport(const Exercise& exercise, const JudgeOptions& options);

Report Judge(const Exercise& exercise, Examinee& examinee, const JudgeOptions& options);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_JUDGE_H_
