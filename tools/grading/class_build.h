// Building the sources of a class in one call of Bazel.
#ifndef LEMMA_TOOLS_GRADING_CLASS_BUILD_H_
#define LEMMA_TOOLS_GRADING_CLASS_BUILD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/folder_lock.h"
#include "tools/grading/build.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

struct ClassSource {
  std::string student;
  std::string path;  // of the source; headers beside it come along, but for the exercise's own
};

// What became of one.
struct BuiltSource {
  std::string program = "";  // empty where it does not build
  std::string problem = "";  // the first error, "causal_attention.cc:12:5: error: ..."
};

// A package of a class in a workspace, with a target for each student, which is there while this
// lives.
class ClassPackage {
 public:
  // `homework` is the homework folder, in the workspace. kUnavailable where another class of the
  // exercise is being built there.
  static absl::StatusOr<std::unique_ptr<ClassPackage>> Make(
      const Workshop& workshop, const std::string& homework, const Exercise& exercise,
      const std::vector<ClassSource>& sources);
  ~ClassPackage();
  ClassPackage(const ClassPackage&) = delete;
  ClassPackage& operator=(const ClassPackage&) = delete;

  // In the order of the sources. An error where Bazel itself fails, or is interrupted.
  absl::StatusOr<std::vector<BuiltSource>> Build() const;

 private:
  ClassPackage(const Workshop& workshop, std::string folder, FolderLock lock, std::string file);

  std::string package() const;  // "homework/.class/causal_attention"

  const Workshop workshop_;
  const std::string folder_;
  const FolderLock lock_;
  const std::string file_;  // "causal_attention.cc"
  std::vector<std::string> names_;
};

// A name of a target and of a folder, for any name of a student; no two have the same.
std::string TargetName(const std::string& student);

// The first error of a compiler or linker in what it wrote, without the folders of `file`.
std::string FirstError(const std::string& output, const std::string& file);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_CLASS_BUILD_H_
