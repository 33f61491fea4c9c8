// The header of a safetensors file: JSON that says where each tensor's bytes lie.
//
// The file is 8 bytes (little endian) with the header's size N, N bytes of JSON, then one buffer:
//
//   {"__metadata__":{"step":"10"},"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}}
//
// Offsets count from the start of the buffer; elements are in C order, little endian. The format is
// that of https://github.com/huggingface/safetensors (README, "Format").
//
// ParseSafetensorsHeader trusts nothing: any bytes give a header in which every tensor's place
// follows from its dtype and shape and the tensors fill the buffer without a hole or an overlap, or
// an error of one sentence with the tensor's name. It uses no recursion, and memory in proportion
// to the header.
#ifndef LEMMA_NN_SAFETENSORS_HEADER_H_
#define LEMMA_NN_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "autograd/dtype.h"

namespace lemma::nn {

// The element types of the format, in its own order, which writers sort by. Those that
// ToDType() maps can become tensors of this library; of the others only the bytes are known.
enum class SafetensorsDType : uint8_t {
  kBool,
  kF4,
  kF6E2M3,
  kF6E3M2,
  kU8,
  kI8,
  kF8E5M2,
  kF8E4M3,
  kF8E8M0,
  kF8E4M3Fnuz,
  kF8E5M2Fnuz,
  kI16,
  kU16,
  kF16,
  kBF16,
  kI32,
  kU32,
  kF32,
  kC64,
  kF64,
  kI64,
  kU64,
};

// The format's name of it, as "BF16".
absl::string_view Name(SafetensorsDType dtype);
std::optional<SafetensorsDType> SafetensorsDTypeFromName(absl::string_view name);

SafetensorsDType ToSafetensorsDType(DType dtype);
std::optional<DType> ToDType(SafetensorsDType dtype);

// Limits that only a hostile or a broken file passes.
inline constexpr uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;
inline constexpr size_t kMaxSafetensorsTensors = 1'000'000;
inline constexpr size_t kMaxSafetensorsNameBytes = 4096;
inline constexpr size_t kMaxSafetensorsRank = 64;

// One tensor of a header: its bytes are [begin, end) of the buffer.
struct SafetensorsPlace {
  std::string name;
  SafetensorsDType dtype = SafetensorsDType::kF32;
  std::vector<int64_t> shape;
  uint64_t begin = 0;
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsPlace> places;  // in the order of the buffer
};

// `json` is the header without its size. `buffer_bytes` is how many bytes follow it in the file.
absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(absl::string_view json,
                                                         uint64_t buffer_bytes);

// The bytes of a file up to its buffer: size, JSON, and spaces up to a multiple of 8, so that a
// mapped file's buffer is aligned. The places are written as they come. Their names must have
// passed CheckSafetensorsName.
absl::StatusOr<std::string> FormatSafetensorsHeader(const SafetensorsHeader& header);

// Bytes of a tensor, or an error where they are too many or no whole number.
absl::StatusOr<uint64_t> SafetensorsBytes(absl::string_view name, SafetensorsDType dtype,
                                          const std::vector<int64_t>& shape);

// Refuses a name with a NUL byte, one that is too long, and "__metadata__".
absl::Status CheckSafetensorsName(absl::string_view name);

// A name from a file, safe to print on one line of a terminal: quoted, escaped, cut if long.
std::string QuoteForMessage(absl::string_view name);

}  // namespace lemma::nn

#endif  // LEMMA_NN_SAFETENSORS_HEADER_H_
