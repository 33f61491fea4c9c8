#include "nn/checkpoint.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nn/safetensors.h"
#include "nn/safetensors_header.h"

namespace lemma::nn {
namespace {

// The entry as a tensor: the file's own memory where it is aligned, else a copy.
absl::StatusOr<Tensor> TensorOf(const std::string& path, const SafetensorsFile& file,
                                const SafetensorsEntry& entry) {
  const std::optional<DType> dtype = ToDType(entry.dtype);
  if (!dtype.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": tensor ", entry.name, " has elements of type ", std::string(Name(entry.dtype)),
        "; those that can be read are F32, F64, BF16, I32, I64 and BOOL"));
  }
  const Shape shape{absl::Span<const int64_t>(entry.shape)};
  void* bytes = const_cast<char*>(entry.bytes.data());
  if (reinterpret_cast<uintptr_t>(bytes) % SizeOf(*dtype) == 0 && !entry.bytes.empty()) {
    return Tensor::View(
        Storage::Foreign(bytes, entry.bytes.size(), file.owner(), /*read_only=*/true), *dtype,
        shape, ContiguousStrides(shape), 0);
  }
  Tensor copy = Tensor::Empty(shape, *dtype);
  if (!entry.bytes.empty()) std::memcpy(copy.mutable_raw_data(), bytes, entry.bytes.size());
  return copy;
}

}  // namespace

std::vector<NamedTensor> Checkpoint::WithPrefix(absl::string_view prefix) const {
  std::vector<NamedTensor> found;
  for (const NamedTensor& named : tensors) {
    if (!absl::StartsWith(named.name, prefix)) continue;
    found.push_back({named.name.substr(prefix.size()), named.value});
  }
  return found;
}

void Checkpoint::Add(absl::string_view prefix, const std::vector<NamedTensor>& named) {
  for (const NamedTensor& entry : named) {
    tensors.push_back({absl::StrCat(prefix, entry.name), entry.value});
  }
}

absl::Status SaveCheckpoint(const std::string& path, const Checkpoint& checkpoint) {
  std::vector<Tensor> dense;  // keeps the elements alive while they are written
  std::vector<SafetensorsTensor> entries;
  for (const NamedTensor& named : checkpoint.tensors) {
    if (!named.value.defined()) {
      return absl::InvalidArgumentError(
          absl::StrCat("cannot write ", path, ": the tensor ", named.name, " is undefined"));
    }
    dense.push_back(named.value.DetachedContiguous());
    const Tensor& value = dense.back();
    entries.push_back({named.name,
                       ToSafetensorsDType(value.dtype()),
                       {value.shape().begin(), value.shape().end()},
                       value.raw_data()});
  }
  return WriteSafetensors(path, entries, checkpoint.metadata);
}

absl::StatusOr<Checkpoint> LoadCheckpoint(const std::string& path) {
  absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(path);
  if (!file.ok()) return file.status();
  Checkpoint checkpoint{.metadata = file->metadata()};
  for (const SafetensorsEntry& entry : file->entries()) {
    absl::StatusOr<Tensor> value = TensorOf(path, *file, entry);
    if (!value.ok()) return value.status();
    checkpoint.tensors.push_back({entry.name, *std::move(value)});
  }
  return checkpoint;
}

}  // namespace lemma::nn
