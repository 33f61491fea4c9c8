// Exercises for any language: inputs go out in a file, outputs come back in one.
//
//   export: names are PROBE.NAME ("ordinary.x"), safetensors; the metadata tells the exercise, its
//     task, how inputs that are functions are made of the tensors, the outputs' names, and the
//     seed.
//   outputs: the same names with outputs ("ordinary.out"), .safetensors or .npz.
#ifndef LEMMA_TOOLS_GRADING_FILES_H_
#define LEMMA_TOOLS_GRADING_FILES_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/grading/answer.h"
#include "tools/grading/exercise.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

absl::Status ExportInputs(const Exercise& exercise, uint64_t seed, const std::string& path);

// Tensors of a .npz or .safetensors, told apart by their bytes. float64 becomes float32.
absl::StatusOr<Values> ParseOutputs(const std::string& bytes);

// Answers with what stands in a file.
class FileExaminee : public Examinee {
 public:
  explicit FileExaminee(Values outputs) : outputs_(std::move(outputs)) {}

  Answer Ask(const Probe& probe) override;
  bool AnswersAnything() const override { return false; }

 private:
  const Values outputs_;
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_FILES_H_
