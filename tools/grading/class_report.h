// What a class made of an exercise.
#ifndef LEMMA_TOOLS_GRADING_CLASS_REPORT_H_
#define LEMMA_TOOLS_GRADING_CLASS_REPORT_H_

#include <string>
#include <vector>

#include "tools/grading/exercise.h"
#include "tools/grading/report.h"

namespace lemma::tools::grading {

struct Submission {
  std::string name;
  Report report;
  std::string problem;  // where nothing could be judged
};

// Name, score, checks passed and in all, the mistakes, the problem.
std::string ClassCsv(const std::vector<Submission>& submissions);

// How many passed, and for each mistake how many made it, with a bar.
std::string ClassSummary(const Exercise& exercise, const std::vector<Submission>& submissions);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_CLASS_REPORT_H_
