// Judges a whole model: its parameters, logits, gradient and losses.
//
//   Report report = JudgeModel({.name = "course", .model = &model}, {});
//
// A check whose prerequisites failed is not run: one mistake is billed once. An Error that the
// model throws fails the check in which it does, unless it is for lack of memory, which is no fault
// of the model's: that one is thrown on.
#ifndef LEMMA_TOOLS_GRADING_MODEL_JUDGE_MODEL_H_
#define LEMMA_TOOLS_GRADING_MODEL_JUDGE_MODEL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "autograd/error.h"
#include "tools/grading/model/model_check.h"
#include "tools/grading/report.h"

namespace lemma::tools::grading {

// In the order in which they run.
const std::vector<ModelCheck>& ModelChecks();

struct ModelJudgeOptions {
  uint64_t seed = 1;  // of random tokens and fresh values
  // The checks to run, all where it is empty. A prerequisite that is not among them is trusted.
  std::set<std::string> only = {};
  // Runs every check that can be, whatever failed before it: for the proof of what each is worth.
  bool all_checks = false;
  std::map<std::string, double> weights = {};  // by check, in the place of 1
  // Called after each check, with what is known so far.
  std::function<void(const Report&)> progress = {};
  // Told what is being done: "gradient, tensor 3 of 54".
  std::function<void(const std::string&)> status = {};
};

// The checks that will be run, none judged yet.
Report PlannedReport(const ModelSubject& subject, const ModelJudgeOptions& options);

bool IsLackOfMemory(const Error& error);

Report JudgeModel(const ModelSubject& subject, const ModelJudgeOptions& options);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_JUDGE_MODEL_H_
