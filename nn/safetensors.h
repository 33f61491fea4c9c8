// Reading and writing safetensors files: named tensors as raw bytes.
//
//   absl::StatusOr<nn::SafetensorsFile> file = nn::SafetensorsFile::Open("model.safetensors");
//   if (!file.ok()) return file.status();
//   const nn::SafetensorsEntry* w = file->Find("blocks.0.ln1.weight");
//
// Opening maps the file read-only and checks all of it (see safetensors_header.h) before a byte of
// a tensor is handed out: a file that is cut short, has bytes to spare, or lies about a tensor's
// size is refused with a sentence that names file and tensor, and no input can crash the reader.
// Values are not judged, NaN and infinities are fine; a BOOL must be 0 or 1.
//
// WriteSafetensors is deterministic: the same tensors and metadata give the same bytes, whatever
// order they come in, and other implementations read them.
#ifndef LEMMA_NN_SAFETENSORS_H_
#define LEMMA_NN_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "nn/safetensors_header.h"

namespace lemma::nn {

// One tensor of an open file. `bytes` lie in the file's memory, in C order, little endian, and need
// not be aligned: copy them out with memcpy.
struct SafetensorsEntry {
  std::string name;
  SafetensorsDType dtype;
  std::vector<int64_t> shape;
  absl::string_view bytes;
};

// An open file. Copies share the memory, which lives as long as one of them. All of it is const and
// may be used from many threads. A file replaced by AtomicFile or WriteSafetensors while it is open
// keeps its old bytes here.
class SafetensorsFile {
 public:
  // Maps a regular file. Another format (a PyTorch archive, GGUF, ...) is named where it is known.
  static absl::StatusOr<SafetensorsFile> Open(const std::string& path);

  // The same checks on bytes in memory, which the result keeps.
  static absl::StatusOr<SafetensorsFile> Parse(std::string bytes);

  const std::map<std::string, std::string>& metadata() const { return contents_->metadata; }

  // Sorted by name.
  const std::vector<SafetensorsEntry>& entries() const { return contents_->entries; }

  // Null where there is no such tensor.
  const SafetensorsEntry* Find(absl::string_view name) const;

  // What keeps the bytes of the entries alive, for tensors that borrow them.
  std::shared_ptr<const void> owner() const { return contents_; }

 private:
  struct Contents {
    std::shared_ptr<const void> memory;
    std::map<std::string, std::string> metadata;
    std::vector<SafetensorsEntry> entries;
  };

  static absl::StatusOr<SafetensorsFile> Read(absl::string_view bytes,
                                              std::shared_ptr<const void> memory);
  std::shared_ptr<const Contents> contents_;
};

// One tensor to write. `data` holds the elements in C order, as many as `shape` says.
struct SafetensorsTensor {
  std::string name;
  SafetensorsDType dtype;
  std::vector<int64_t> shape;
  const void* data;
};

// Replaces the file `path` atomically (atomic_file.h), streaming each tensor from its memory.
// Tensors are put in the order of other writers: by the format's list of dtypes, last first, so
// that wider types come first and all are aligned, then by name.
absl::Status WriteSafetensors(const std::string& path, absl::Span<const SafetensorsTensor> tensors,
                              const std::map<std::string, std::string>& metadata);

}  // namespace lemma::nn

#endif  // LEMMA_NN_SAFETENSORS_H_
