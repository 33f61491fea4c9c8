// Who handed in what: a folder as a teacher has it.
//
//   DIR/alice.cc                          or .npz, .safetensors, or a program
//   DIR/alice/causal_attention.cc         a folder for each, also deeper in it
//   DIR/doealice_123_456_causal_attention.cc          as Canvas names files: doealice
//   DIR/Alice Doe_123_assignsubmission_file_/...      as Moodle names folders: Alice Doe
//   DIR/submission_123/... and submission_metadata.yml, as Gradescope exports: the names in that
//
// What begins with a dot, and files of other kinds, are passed over. Links are followed once, from
// the folder itself, so that circles end.
#ifndef LEMMA_TOOLS_GRADING_SUBMISSIONS_H_
#define LEMMA_TOOLS_GRADING_SUBMISSIONS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lemma::tools::grading {

enum class SubmissionKind { kSource, kOutputs, kProgram };

struct Submission {
  std::string student;
  SubmissionKind kind = SubmissionKind::kSource;
  std::string file = "";     // in the folder
  std::string problem = "";  // a sentence: why there is nothing to grade
};

// Of an exercise, by student, one each. An error where the folder cannot be read or holds none.
absl::StatusOr<std::vector<Submission>> FindSubmissions(const std::string& folder,
                                                        const std::string& exercise);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_SUBMISSIONS_H_
