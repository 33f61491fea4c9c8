// What a teacher decides, in a file of JSON, by default grading.json in the homework folder:
//
//   {
//     "detail": "why",            the most that reports tell: verdict, where, why, diff
//     "hints": 2,                 how many hints are given
//     "seed": 20260801,           of the probes, so that inputs are not those that learners know
//     "weights": {"causal_attention": {"causality": 3}}
//   }
//
// All are optional. An unknown name is refused, since a misspelt cap would cap nothing.
#ifndef LEMMA_TOOLS_GRADING_TEACHER_H_
#define LEMMA_TOOLS_GRADING_TEACHER_H_

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "tools/grading/report.h"

namespace lemma::tools::grading {

struct Teacher {
  Detail detail = Detail::kDiff;
  int64_t hints = 100;
  uint64_t seed = 1;
  std::map<std::string, std::map<std::string, double>> weights = {};
};

absl::StatusOr<Teacher> ParseTeacher(const std::string& json);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_TEACHER_H_
