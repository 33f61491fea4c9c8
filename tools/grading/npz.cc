#include "tools/grading/npz.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/dtype.h"
#include "autograd/ops/reshape.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
#include "nn/safetensors_header.h"
#include "zlib.h"

namespace lemma::tools::grading {
namespace {

constexpr uint64_t kMostBytes = uint64_t{256} << 20;
constexpr int kMostRank = 8;
// No deflated bytes become more than so many times as many.
constexpr uint64_t kMostInflation = 1032;
// Where a number stands in zip64's extra field instead.
constexpr uint32_t kInZip64 = 0xffffffff;

absl::Status Refuse(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("it is no array of NumPy: ", what));
}

absl::Status InArray(const std::string& name, const absl::Status& status) {
  return absl::InvalidArgumentError(
      absl::StrCat("array ", nn::QuoteForMessage(name), ": ", status.message()));
}

// A number of the file, or nothing where the file ends before.
template <typename T>
std::optional<T> At(absl::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T number;
  std::memcpy(&number, bytes.data() + offset, sizeof(T));
  return number;
}

std::optional<absl::string_view> Part(absl::string_view bytes, uint64_t offset, uint64_t count) {
  if (offset > bytes.size() || bytes.size() - offset < count) return std::nullopt;
  return bytes.substr(offset, count);
}

// What stands after 'KEY': in the header's dictionary, up to the end of it.
std::optional<absl::string_view> AfterKey(absl::string_view header, const std::string& key) {
  const size_t at = header.find(absl::StrCat("'", key, "'"));
  if (at == absl::string_view::npos) return std::nullopt;
  absl::string_view rest = header.substr(at + key.size() + 2);
  rest = absl::StripLeadingAsciiWhitespace(rest);
  if (!absl::ConsumePrefix(&rest, ":")) return std::nullopt;
  return absl::StripLeadingAsciiWhitespace(rest);
}

std::optional<DType> DTypeNamed(absl::string_view descr) {
  if (descr == "<f4") return DType::kFloat32;
  if (descr == "<f8") return DType::kFloat64;
  if (descr == "<i4") return DType::kInt32;
  if (descr == "<i8") return DType::kInt64;
  if (descr == "|b1") return DType::kBool;
  return std::nullopt;
}

// "(3, 4)", "(3,)", "()".
std::optional<Shape> ParseShape(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "(")) return std::nullopt;
  const size_t end = text.find(')');
  if (end == absl::string_view::npos) return std::nullopt;
  Shape shape;
  for (absl::string_view part : absl::StrSplit(text.substr(0, end), ',')) {
    part = absl::StripAsciiWhitespace(part);
    if (part.empty()) continue;
    int64_t size;
    if (!absl::SimpleAtoi(part, &size) || size < 0 || shape.rank() == kMostRank)
      return std::nullopt;
    shape.Append(size);
  }
  return shape;
}

// The bytes that the shape takes, or nothing where they are too many for 64 bits. The sizes that
// are not 0 must have a product too: strides are made of it.
std::optional<uint64_t> BytesOf(const Shape& shape, DType dtype) {
  int64_t bytes = static_cast<int64_t>(SizeOf(dtype));
  bool empty = false;
  for (const int64_t size : shape) {
    if (size == 0) empty = true;
    if (size > 0 && __builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return empty ? 0 : static_cast<uint64_t>(bytes);
}

// Dimensions in the reverse order: of an array in Fortran's order.
Tensor Reversed(const Tensor& x) {
  std::vector<int64_t> dims(static_cast<size_t>(x.rank()));
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<int64_t>(dims.size() - 1 - i);
  return Contiguous(Permute(x, dims));
}

struct ZipEntry {
  std::string name;
  uint16_t method = 0;
  uint32_t crc = 0;
  uint64_t packed = 0, size = 0, offset = 0;
};

// The offset of the record that ends a zip archive, searched from its end.
std::optional<uint64_t> FindEnd(absl::string_view bytes) {
  constexpr uint64_t kRecord = 22, kMostComment = 65535;
  if (bytes.size() < kRecord) return std::nullopt;
  const uint64_t last = bytes.size() - kRecord;
  for (uint64_t back = 0; back <= std::min(last, kMostComment); ++back) {
    if (bytes.substr(last - back, 4) == absl::string_view("PK\5\6", 4)) return last - back;
  }
  return std::nullopt;
}

absl::StatusOr<std::vector<ZipEntry>> ReadDirectory(absl::string_view bytes) {
  const std::optional<uint64_t> end = FindEnd(bytes);
  if (!end) return Refuse("no zip archive, which .npz is");
  const uint16_t count = *At<uint16_t>(bytes, *end + 10);
  uint64_t at = *At<uint32_t>(bytes, *end + 16);
  std::vector<ZipEntry> entries;
  for (int i = 0; i < count; ++i) {
    const std::optional<absl::string_view> fixed = Part(bytes, at, 46);
    if (!fixed || fixed->substr(0, 4) != absl::string_view("PK\1\2", 4)) {
      return Refuse("the archive's directory is cut short");
    }
    const uint16_t name = *At<uint16_t>(*fixed, 28), extra = *At<uint16_t>(*fixed, 30);
    const uint16_t comment = *At<uint16_t>(*fixed, 32);
    const std::optional<absl::string_view> text = Part(bytes, at + 46, name);
    if (!text) return Refuse("the archive's directory is cut short");
    entries.push_back({std::string(*text), *At<uint16_t>(*fixed, 10), *At<uint32_t>(*fixed, 16),
                       *At<uint32_t>(*fixed, 20), *At<uint32_t>(*fixed, 24),
                       *At<uint32_t>(*fixed, 42)});
    const ZipEntry& entry = entries.back();
    if (std::max({entry.packed, entry.size, entry.offset}) == kInZip64) {
      return InArray(entry.name, Refuse("it is of 4 GiB or more, as zip64 has it"));
    }
    at += uint64_t{46} + name + extra + comment;
  }
  return entries;
}

absl::StatusOr<std::string> Inflate(absl::string_view packed, uint64_t size) {
  if (size / kMostInflation > packed.size()) return Refuse("its compressed bytes are damaged");
  std::string out(size, '\0');
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return Refuse("zlib has no memory");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(size);
  const int status = inflate(&stream, Z_FINISH);
  const bool whole = status == Z_STREAM_END && stream.total_out == size;
  inflateEnd(&stream);
  if (!whole) return Refuse("its compressed bytes are damaged");
  return out;
}

absl::StatusOr<std::string> ReadEntry(absl::string_view bytes, const ZipEntry& entry,
                                      uint64_t room) {
  const std::optional<absl::string_view> local = Part(bytes, entry.offset, 30);
  if (!local || local->substr(0, 4) != absl::string_view("PK\3\4", 4)) {
    return Refuse("the archive's directory points nowhere");
  }
  const uint64_t skipped = uint64_t{30} + *At<uint16_t>(*local, 26) + *At<uint16_t>(*local, 28);
  const std::optional<absl::string_view> packed = Part(bytes, entry.offset + skipped, entry.packed);
  if (!packed) return Refuse("it is cut short");
  if (entry.size > room) return Refuse("with it, the arrays take more than 256 MiB");
  absl::StatusOr<std::string> data = Refuse("it is packed in a way that NumPy does not use");
  if (entry.method == 0 && entry.packed == entry.size) data = std::string(*packed);
  if (entry.method == 8) data = Inflate(*packed, entry.size);
  if (!data.ok()) return data;
  const uLong crc =
      crc32(0, reinterpret_cast<const Bytef*>(data->data()), static_cast<uInt>(data->size()));
  if (crc != entry.crc) return Refuse("its checksum is wrong");
  return data;
}

}  // namespace

absl::StatusOr<Tensor> ParseNpy(absl::string_view bytes) {
  if (!absl::StartsWith(bytes, absl::string_view("\x93NUMPY", 6))) {
    return Refuse("it does not begin as .npy does");
  }
  const uint8_t version = At<uint8_t>(bytes, 6).value_or(0);
  const bool short_length = version == 1;
  if (version < 1 || version > 3) return Refuse("an unknown version of .npy");
  const std::optional<uint64_t> length = short_length
                                             ? std::optional<uint64_t>(At<uint16_t>(bytes, 8))
                                             : std::optional<uint64_t>(At<uint32_t>(bytes, 8));
  const uint64_t start = short_length ? 10 : 12;
  if (!length) return Refuse("its header is cut short");
  const std::optional<absl::string_view> header = Part(bytes, start, *length);
  if (!header) return Refuse("its header is cut short");

  const auto descr = AfterKey(*header, "descr"), order = AfterKey(*header, "fortran_order");
  const auto sizes = AfterKey(*header, "shape");
  if (!descr || !order || !sizes) return Refuse("its header lacks descr, fortran_order or shape");
  const std::optional<DType> dtype =
      descr->size() >= 5 && (*descr)[0] == '\'' && (*descr)[4] == '\''
          ? DTypeNamed(descr->substr(1, 3))
          : std::nullopt;
  if (!dtype) return Refuse("only float32, float64, int32, int64 and bool are read");
  std::optional<Shape> shape = ParseShape(*sizes);
  if (!shape) return Refuse("its shape is none");
  const absl::string_view elements = bytes.substr(start + *length);
  const std::optional<uint64_t> needed = BytesOf(*shape, *dtype);
  if (!needed) return Refuse("its shape is too large for 64 bits");
  if (*needed != elements.size()) {
    return Refuse(
        absl::StrCat("its shape needs ", *needed, " bytes, and there are ", elements.size()));
  }
  if (*dtype == DType::kBool) {
    for (const char element : elements) {
      if (element != 0 && element != 1) return Refuse("a bool is neither 0 nor 1");
    }
  }
  const bool fortran = absl::StartsWith(*order, "True");
  if (fortran) {
    absl::Span<const int64_t> in_order = shape->sizes();
    std::vector<int64_t> reversed(in_order.rbegin(), in_order.rend());
    shape = Shape(absl::Span<const int64_t>(reversed));
  }
  Tensor tensor = Tensor::Empty(*shape, *dtype);
  if (!elements.empty()) std::memcpy(tensor.mutable_raw_data(), elements.data(), elements.size());
  return fortran ? Reversed(tensor) : tensor;
}

absl::StatusOr<Values> ParseNpz(absl::string_view bytes) {
  const absl::StatusOr<std::vector<ZipEntry>> entries = ReadDirectory(bytes);
  if (!entries.ok()) return entries.status();
  Values values;
  std::set<std::string> names;
  uint64_t room = kMostBytes;
  for (const ZipEntry& entry : *entries) {
    const std::string name(absl::StripSuffix(entry.name, ".npy"));
    const absl::StatusOr<std::string> data = ReadEntry(bytes, entry, room);
    if (!data.ok()) return InArray(name, data.status());
    room -= entry.size;
    absl::StatusOr<Tensor> tensor = ParseNpy(*data);
    if (!tensor.ok()) return InArray(name, tensor.status());
    if (!names.insert(name).second) return InArray(name, Refuse("there are two of this name"));
    values.Add(name, *std::move(tensor));
  }
  return values;
}

}  // namespace lemma::tools::grading
