// The learner's folder: a folder for each exercise that was started, and what the grader remembers.
//
//   homework/causal_attention/causal_attention.h    the task, to read; it stays as it is
//   homework/causal_attention/causal_attention.cc   to write
//   homework/causal_attention/BUILD, README.md
//   homework/.grade.json                            attempts, hints given, the last diagnosis
#ifndef LEMMA_TOOLS_GRADING_LEARNER_FOLDER_H_
#define LEMMA_TOOLS_GRADING_LEARNER_FOLDER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

// What is remembered of an exercise.
struct Progress {
  int64_t attempts = 0;
  bool passed = false;
  int64_t hints = 0;                       // given so far
  std::string last = "";                   // "9 of 14 checks"
  std::string diagnosis = "";              // of the last attempt
  std::vector<std::string> mistakes = {};  // their ids
};

// The label of defs.bzl for the BUILD files of a workspace: Lemma's own, or one that uses Lemma.
std::string MacroLabel(const std::string& workspace);

class LearnerFolder {
 public:
  // `path` is the folder homework; `macro` the label of defs.bzl that BUILD files load.
  LearnerFolder(std::string path, std::string macro);

  std::string FolderOf(const std::string& exercise) const;
  std::string SourceOf(const std::string& exercise) const;
  bool IsStarted(const std::string& exercise) const;

  // Writes the exercise's files. A source that is there is kept.
  absl::Status Start(const Exercise& exercise) const;
  // Puts the starter in the place of the source, which is kept under the name that is returned.
  absl::StatusOr<std::string> Reset(const Exercise& exercise) const;
  // An error where the header is not the exercise's: the grader is compiled with that.
  absl::Status CheckHeader(const Exercise& exercise) const;

  // Missing or unreadable: nothing is remembered.
  std::map<std::string, Progress> ReadProgress() const;
  absl::Status WriteProgress(const std::map<std::string, Progress>& progress) const;

 private:
  const std::string path_, macro_;
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_LEARNER_FOLDER_H_
