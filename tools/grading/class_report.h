// What a class made of an exercise.
#ifndef LEMMA_TOOLS_GRADING_CLASS_REPORT_H_
#define LEMMA_TOOLS_GRADING_CLASS_REPORT_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

// A student's result.
struct ClassRow {
  std::string student = "";
  std::string file = "";
  double score = 0;                                  // of 1
  std::map<std::string, std::string> verdicts = {};  // by check
  std::vector<std::string> mistakes = {};            // of the nearest explanation
  std::string sentence = "";                         // what that says
  std::string ending = "";                           // "timed_out", where the code gave no answer
  std::string problem = "";  // a sentence where nothing could be judged: it does not build, ...

  size_t passed_checks() const;
  bool passed() const;
};

// From a report as JsonReport writes it.
absl::StatusOr<ClassRow> RowFromJson(const std::string& student, const std::string& json);

// A line for each student: score, checks passed and in all, mistakes, ending, what it is, problem,
// and each check's verdict. As in RFC 4180, but with \n.
std::string ClassCsv(const Exercise& exercise, const std::vector<ClassRow>& rows);

// Students with the same outcome.
struct Outcome {
  std::string name;    // "passed", "mask/after", "threw in shapes", "does not build"
  std::string detail;  // a line about it, or ""
  size_t count = 0;
  enum class Kind { kPassed, kFailed, kNotGraded } kind = Kind::kFailed;
};

// Those who passed first, then mistakes, those of most students first, then what was not graded.
std::vector<Outcome> OutcomesOf(const Exercise& exercise, const std::vector<ClassRow>& rows);

// "causal_attention: 3 of 12 passed, 7 failed, 2 could not be graded"
std::string ClassTitle(const Exercise& exercise, const std::vector<ClassRow>& rows);

// The title, a bar for each outcome, and why what could not be graded could not.
std::string ClassSummary(const Exercise& exercise, const std::vector<ClassRow>& rows);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_CLASS_REPORT_H_
