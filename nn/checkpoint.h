// Checkpoints: tensors and texts in one safetensors file.
//
//   Checkpoint checkpoint{.tensors = model.NamedParameters(), .metadata = {{"step", "2000"}}};
//   absl::Status saved = SaveCheckpoint("model.safetensors", checkpoint);
//   absl::StatusOr<Checkpoint> loaded = LoadCheckpoint("model.safetensors");
#ifndef LEMMA_NN_CHECKPOINT_H_
#define LEMMA_NN_CHECKPOINT_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "nn/module.h"

namespace lemma::nn {

struct Checkpoint {
  std::vector<NamedTensor> tensors = {};
  std::map<std::string, std::string> metadata = {};

  // The tensors whose names start with `prefix`, without it.
  std::vector<NamedTensor> WithPrefix(absl::string_view prefix) const;
  // Adds tensors under prefix + name.
  void Add(absl::string_view prefix, const std::vector<NamedTensor>& named);
};

// Writes a whole new file and then puts it in the place of the old one, which stays as it is if
// anything fails (nn/atomic_file.h).
absl::Status SaveCheckpoint(const std::string& path, const Checkpoint& checkpoint);

// Reads a file of any origin. Element types that tensors don't have are an error that names the
// tensor. The tensors are read only and share the file's memory.
absl::StatusOr<Checkpoint> LoadCheckpoint(const std::string& path);

}  // namespace lemma::nn

#endif  // LEMMA_NN_CHECKPOINT_H_
