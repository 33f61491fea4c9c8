// Which known mistake an answer is, told by its distance from what the reference computes with that
// mistake.
#ifndef LEMMA_TOOLS_GRADING_DIAGNOSIS_H_
#define LEMMA_TOOLS_GRADING_DIAGNOSIS_H_

#include <string>
#include <vector>

#include "tools/grading/answer.h"
#include "tools/grading/exercise.h"
#include "tools/grading/knobs.h"

namespace lemma::tools::grading {

struct Explanation {
  Mistakes mistakes = {};
  double distance = 0;
  std::string sentence = {};  // "divides the scores by sqrt(C) = sqrt(12), the width, ..."
  bool convention = false;
};

struct Diagnosis {
  // Of as few mistakes as explain all answers, nearest first. Several cannot be told apart by these
  // answers. None: nothing known explains them.
  std::vector<Explanation> explanations = {};
  // The answers are the reference's own.
  bool right = false;
  // How far the nearest known mistake is, where none explains the answers.
  double nearest = 0;
  // A sentence for people: what it is, or that it is not known.
  std::string text = {};
};

// `answers[i]` belongs to `probes[i]`; those that are not ok() say nothing.
Diagnosis Diagnose(const Exercise& exercise, const std::vector<Probe>& probes,
                   const std::vector<Answer>& answers);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_DIAGNOSIS_H_
