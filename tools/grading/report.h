// What grading came to: one model that every kind of report is written from.
#ifndef LEMMA_TOOLS_GRADING_REPORT_H_
#define LEMMA_TOOLS_GRADING_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "tools/grading/diagnosis.h"
#include "tools/grading/witness.h"

namespace lemma::tools::grading {

// How much a report tells. Each level holds those before it; only kDiff shows right values.
enum class Detail { kVerdict, kWhere, kWhy, kDiff };
const char* Name(Detail detail);
std::optional<Detail> DetailFromName(const std::string& name);

enum class Verdict { kPassed, kFailed, kNotJudged };
const char* Name(Verdict verdict);

struct CheckResult {
  std::string id = {};
  std::string title = {};
  Verdict verdict = Verdict::kPassed;
  std::string measured = {};
  std::string where = {};
  std::string problem = {};                     // of a failure: a sentence
  std::vector<std::string> because = {};        // not judged: the checks that failed before it
  std::optional<Ending> ending = std::nullopt;  // where the code gave no answer
  double weight = 1;
};

struct Report {
  std::string exercise = {};
  std::vector<CheckResult> checks = {};
  Diagnosis diagnosis = {};
  std::optional<Witness> witness = {};
  std::string printed = {};  // what the code printed

  bool passed() const;
  size_t CountOf(Verdict verdict) const;
  double Score() const;  // of 1
};

// The report without what is above `detail`.
Report Capped(Report report, Detail detail);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_REPORT_H_
