// The grader graded: every exercise's correct solutions pass, its starter fails, every known
// mistake is failed and named, and every check earns its place.
#ifndef LEMMA_TOOLS_GRADING_PROVE_H_
#define LEMMA_TOOLS_GRADING_PROVE_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

struct ProvedSpecimen {
  std::string name = {};
  std::vector<std::string> expected = {};  // empty of correct ones
  std::set<std::string> failed_checks = {};
  bool named = false;  // its mistake stands in the diagnosis, or its check failed
  size_t group = 0;    // explanations beside its own that no answer tells apart
  std::string diagnosis = {};
};

struct Proof {
  std::string exercise = {};
  std::vector<ProvedSpecimen> correct = {};
  std::vector<ProvedSpecimen> mistaken = {};
  std::vector<std::string> faults = {};  // sentences; empty where all is proved

  size_t named() const;
};

// Runs the exercise's specimens as children of `program`, which must hold them and their starters.
Proof Prove(const Exercise& exercise, const std::string& program,
            const std::function<void(const std::string& specimen)>& progress = {});

// The kill matrix of an exercise in Markdown: which check fails which mistake.
std::string KillMatrix(const Exercise& exercise, const Proof& proof);
// The totals of all, in Markdown.
std::string ProofTable(const std::vector<Proof>& proofs);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_PROVE_H_
