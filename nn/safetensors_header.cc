#include "nn/safetensors_header.h"

#include <algorithm>
#include <array>
#include <exception>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"

namespace lemma::nn {
namespace {

constexpr absl::string_view kMetadataKey = "__metadata__";

struct DTypeRow {
  absl::string_view name;
  uint64_t bits;
  std::optional<DType> dtype;
};

// Row i is the type with the value i.
constexpr std::array<DTypeRow, 22> kDTypes = {{
    {"BOOL", 8, DType::kBool},        {"F4", 4, std::nullopt},
    {"F6_E2M3", 6, std::nullopt},     {"F6_E3M2", 6, std::nullopt},
    {"U8", 8, std::nullopt},          {"I8", 8, std::nullopt},
    {"F8_E5M2", 8, std::nullopt},     {"F8_E4M3", 8, std::nullopt},
    {"F8_E8M0", 8, std::nullopt},     {"F8_E4M3FNUZ", 8, std::nullopt},
    {"F8_E5M2FNUZ", 8, std::nullopt}, {"I16", 16, std::nullopt},
    {"U16", 16, std::nullopt},        {"F16", 16, std::nullopt},
    {"BF16", 16, DType::kBFloat16},   {"I32", 32, DType::kInt32},
    {"U32", 32, std::nullopt},        {"F32", 32, DType::kFloat32},
    {"C64", 64, std::nullopt},        {"F64", 64, DType::kFloat64},
    {"I64", 64, DType::kInt64},       {"U64", 64, std::nullopt},
}};

const DTypeRow& Row(SafetensorsDType dtype) { return kDTypes[static_cast<size_t>(dtype)]; }

template <typename... Pieces>
absl::Status TensorError(absl::string_view name, const Pieces&... pieces) {
  return absl::InvalidArgumentError(absl::StrCat("tensor ", QuoteForMessage(name), " ", pieces...));
}

// Receives the JSON piece by piece and admits only what a header may hold, so that nothing can nest
// deeper than three levels. Every callback returns whether parsing goes on; the first refusal is
// kept in status().
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  const absl::Status& status() const { return status_; }
  SafetensorsHeader&& TakeHeader() && { return std::move(header_); }

  bool start_object(size_t) override {
    if (state_ == State::kStart) return Enter(State::kTop);
    if (state_ == State::kTop && key_ == kMetadataKey) return Enter(State::kMetadata);
    if (state_ == State::kTop) return StartTensor();
    return Unexpected("an object");
  }

  bool key(string_t& key) override {
    if (state_ == State::kMetadata) {
      key_ = key;
      if (header_.metadata.count(key) != 0) {
        return Refuse("__metadata__ has the key ", QuoteForMessage(key), " twice");
      }
      return true;
    }
    if (state_ == State::kTensor) return TensorField(key);
    if (!names_.insert(key).second) {
      return Refuse("the name ", QuoteForMessage(key), " occurs twice in the header");
    }
    key_ = key;
    if (key == kMetadataKey) return true;
    if (absl::Status status = CheckSafetensorsName(key); !status.ok()) return Refuse(status);
    return true;
  }

  bool end_object() override {
    if (state_ == State::kTop) return Enter(State::kEnd);
    if (state_ == State::kMetadata) return Enter(State::kTop);
    return EndTensor();
  }

  bool string(string_t& text) override {
    if (state_ == State::kMetadata) {
      header_.metadata[key_] = text;
      return true;
    }
    if (state_ != State::kTensor || field_ != "dtype") return Unexpected("a string");
    const std::optional<SafetensorsDType> dtype = SafetensorsDTypeFromName(text);
    if (!dtype) {
      return Refuse(TensorError(place_.name, "has the dtype ", QuoteForMessage(text),
                                ", which the safetensors format does not have"));
    }
    place_.dtype = *dtype;
    return true;
  }

  bool start_array(size_t) override {
    if (state_ != State::kTensor) return Unexpected("an array");
    if (field_ == "shape") return Enter(State::kShape);
    if (field_ == "data_offsets") return Enter(State::kOffsets);
    return Unexpected("an array");
  }

  bool end_array() override {
    if (state_ == State::kOffsets && offsets_.size() != 2) {
      return Refuse(
          TensorError(place_.name, "has ", offsets_.size(), " data_offsets instead of 2"));
    }
    return Enter(State::kTensor);
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (state_ == State::kShape) return Dimension(value);
    if (state_ != State::kOffsets) return Unexpected("a number");
    if (offsets_.size() == 2) {
      return Refuse(TensorError(place_.name, "has more than 2 data_offsets"));
    }
    offsets_.push_back(value);
    return true;
  }

  bool number_integer(number_integer_t value) override {
    return Unexpected(absl::StrCat("the number ", value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return Unexpected(absl::StrCat("the number ", QuoteForMessage(text)));
  }
  bool boolean(bool) override { return Unexpected("true or false"); }
  bool null() override { return Unexpected("null"); }
  bool binary(binary_t&) override { return Unexpected("binary data"); }

  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    if (!status_.ok()) return false;
    return Refuse("the header is not valid JSON in UTF-8 (at its byte ", position, ")");
  }

 private:
  enum class State { kStart, kTop, kMetadata, kTensor, kShape, kOffsets, kEnd };

  bool Enter(State state) {
    state_ = state;
    return true;
  }

  bool Refuse(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
    return false;
  }
  template <typename... Pieces>
  bool Refuse(const char* first, const Pieces&... pieces) {
    return Refuse(absl::InvalidArgumentError(absl::StrCat(first, pieces...)));
  }

  bool Unexpected(absl::string_view what) {
    switch (state_) {
      case State::kStart:
      case State::kEnd:
        return Refuse("the header is ", what, ", not a JSON object");
      case State::kTop:
        return Refuse("the entry ", QuoteForMessage(key_), " is ", what, ", not an object");
      case State::kMetadata:
        return Refuse("__metadata__ has ", what, " under ", QuoteForMessage(key_),
                      ", but may hold strings only");
      case State::kTensor:
        return Refuse(TensorError(place_.name, "has ", what, " as its ", field_));
      case State::kShape:
        return Refuse(TensorError(place_.name, "has ", what, " in its shape"));
      case State::kOffsets:
        return Refuse(TensorError(place_.name, "has ", what, " in its data_offsets"));
    }
    return false;
  }

  bool StartTensor() {
    if (header_.places.size() == kMaxSafetensorsTensors) {
      return Refuse("the header has more than ", kMaxSafetensorsTensors, " tensors");
    }
    place_ = SafetensorsPlace{};
    place_.name = key_;
    offsets_.clear();
    fields_.clear();
    return Enter(State::kTensor);
  }

  bool TensorField(const std::string& field) {
    if (field != "dtype" && field != "shape" && field != "data_offsets") {
      return Refuse(TensorError(place_.name, "has an unknown field ", QuoteForMessage(field)));
    }
    if (!fields_.insert(field).second) {
      return Refuse(TensorError(place_.name, "has its ", field, " twice"));
    }
    field_ = field;
    return true;
  }

  bool Dimension(uint64_t value) {
    if (place_.shape.size() == kMaxSafetensorsRank) {
      return Refuse(TensorError(place_.name, "has more than ", kMaxSafetensorsRank, " dimensions"));
    }
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return Refuse(TensorError(place_.name, "has a dimension of ", value));
    }
    place_.shape.push_back(static_cast<int64_t>(value));
    return true;
  }

  bool EndTensor() {
    for (const char* field : {"dtype", "shape", "data_offsets"}) {
      if (fields_.count(field) == 0) return Refuse(TensorError(place_.name, "has no ", field));
    }
    place_.begin = offsets_[0];
    place_.end = offsets_[1];
    header_.places.push_back(std::move(place_));
    return Enter(State::kTop);
  }

  State state_ = State::kStart;
  std::string key_;    // the last key of the header or of the metadata
  std::string field_;  // the last key of a tensor's entry
  std::set<std::string> names_;
  std::set<std::string> fields_;
  SafetensorsPlace place_;
  std::vector<uint64_t> offsets_;
  SafetensorsHeader header_;
  absl::Status status_;
};

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("(", absl::StrJoin(shape, ", "), shape.size() == 1 ? ",)" : ")");
}

// Checks places in the order of the buffer: each starts where the one before it ended, and has as
// many bytes as its dtype and shape need; the last ends with the buffer.
absl::Status CheckLayout(const std::vector<SafetensorsPlace>& places, uint64_t buffer_bytes) {
  uint64_t next = 0;
  for (const SafetensorsPlace& place : places) {
    const std::string offsets = absl::StrCat("[", place.begin, ", ", place.end, "]");
    if (place.end < place.begin) {
      return TensorError(place.name, "has reversed data_offsets ", offsets);
    }
    if (place.begin != next) {
      return TensorError(place.name, "begins at byte ", place.begin, " of the buffer, but ",
                         place.begin < next ? "bytes up to " : "the tensors before it end at ",
                         next, place.begin < next ? " belong to another tensor" : "");
    }
    absl::StatusOr<uint64_t> bytes = SafetensorsBytes(place.name, place.dtype, place.shape);
    if (!bytes.ok()) return bytes.status();
    if (place.end - place.begin != *bytes) {
      return TensorError(place.name, "of dtype ", Name(place.dtype), " and shape ",
                         ShapeText(place.shape), " needs ", *bytes, " bytes, but its data_offsets ",
                         offsets, " give it ", place.end - place.begin);
    }
    if (place.end > buffer_bytes) {
      return TensorError(place.name, "ends at byte ", place.end,
                         " of the buffer, but the file has ", buffer_bytes,
                         " bytes after the header: it is cut short");
    }
    next = place.end;
  }
  if (next == buffer_bytes) return absl::OkStatus();
  const uint64_t extra = buffer_bytes - next;
  return absl::InvalidArgumentError(absl::StrCat("the file has ", extra,
                                                 extra == 1 ? " byte" : " bytes",
                                                 " after the last tensor, of no tensor"));
}

}  // namespace

absl::string_view Name(SafetensorsDType dtype) { return Row(dtype).name; }

std::optional<SafetensorsDType> SafetensorsDTypeFromName(absl::string_view name) {
  for (size_t i = 0; i < kDTypes.size(); ++i) {
    if (kDTypes[i].name == name) return static_cast<SafetensorsDType>(i);
  }
  return std::nullopt;
}

SafetensorsDType ToSafetensorsDType(DType dtype) {
  size_t i = 0;
  while (kDTypes[i].dtype != dtype) ++i;
  return static_cast<SafetensorsDType>(i);
}

std::optional<DType> ToDType(SafetensorsDType dtype) { return Row(dtype).dtype; }

absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(absl::string_view json,
                                                         uint64_t buffer_bytes) {
  if (json.size() > kMaxSafetensorsHeaderBytes) {
    return absl::InvalidArgumentError(absl::StrCat("its header has ", json.size(),
                                                   " bytes, more than the format's ",
                                                   kMaxSafetensorsHeaderBytes));
  }
  if (json.empty() || json[0] != '{') {
    return absl::InvalidArgumentError("its header does not begin with '{'");
  }
  // The JSON library takes a NUL byte for the end of its input.
  if (const size_t nul = json.find('\0'); nul != absl::string_view::npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("the header is not valid JSON in UTF-8 (at its byte ", nul + 1, ")"));
  }
  HeaderReader reader;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &reader)) return reader.status();
  SafetensorsHeader header = std::move(reader).TakeHeader();
  std::sort(header.places.begin(), header.places.end(),
            [](const SafetensorsPlace& a, const SafetensorsPlace& b) {
              return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
            });
  if (absl::Status status = CheckLayout(header.places, buffer_bytes); !status.ok()) return status;
  return header;
}

absl::StatusOr<std::string> FormatSafetensorsHeader(const SafetensorsHeader& header) {
  std::vector<std::string> entries;
  try {
    const auto quote = [](const std::string& text) { return nlohmann::json(text).dump(); };
    if (!header.metadata.empty()) {
      const auto pair = [&](std::string* out, const std::pair<const std::string, std::string>& p) {
        absl::StrAppend(out, quote(p.first), ":", quote(p.second));
      };
      entries.push_back(
          absl::StrCat("\"", kMetadataKey, "\":{", absl::StrJoin(header.metadata, ",", pair), "}"));
    }
    for (const SafetensorsPlace& place : header.places) {
      entries.push_back(absl::StrCat(quote(place.name), ":{\"dtype\":\"", Name(place.dtype),
                                     "\",\"shape\":[", absl::StrJoin(place.shape, ","),
                                     "],\"data_offsets\":[", place.begin, ",", place.end, "]}"));
    }
  } catch (const nlohmann::json::exception&) {
    return absl::InvalidArgumentError(
        "a safetensors file holds names and metadata in UTF-8 only, and one of those given is not");
  }
  std::string json = absl::StrCat("{", absl::StrJoin(entries, ","), "}");
  json.resize((json.size() + 7) / 8 * 8, ' ');
  if (json.size() > kMaxSafetensorsHeaderBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the header would have ", json.size(),
                                                   " bytes, more than the format's ",
                                                   kMaxSafetensorsHeaderBytes));
  }
  std::string bytes(8, '\0');
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(json.size() >> (8 * i) & 0xff);
  return bytes + json;
}

absl::StatusOr<uint64_t> SafetensorsBytes(absl::string_view name, SafetensorsDType dtype,
                                          const std::vector<int64_t>& shape) {
  // The dimensions that are not 0 must have a product too: strides are made of it.
  uint64_t bits = Row(dtype).bits;
  bool empty = false;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return TensorError(name, "has a dimension of ", dimension);
    if (dimension == 0) empty = true;
    if (dimension > 0 && __builtin_mul_overflow(bits, static_cast<uint64_t>(dimension), &bits)) {
      return TensorError(name, "has a shape ", ShapeText(shape), " too large for 64 bits");
    }
  }
  if (empty) return 0;
  if (bits % 8 == 0) return bits / 8;
  return TensorError(name, "of dtype ", Name(dtype), " and shape ", ShapeText(shape), " has ", bits,
                     " bits, no whole number of bytes");
}

absl::Status CheckSafetensorsName(absl::string_view name) {
  if (name.size() > kMaxSafetensorsNameBytes) {
    return TensorError(name, "has a name of ", name.size(), " bytes; at most ",
                       kMaxSafetensorsNameBytes, " are allowed");
  }
  if (name.find('\0') != absl::string_view::npos) {
    return TensorError(name, "has a NUL byte in its name");
  }
  if (name == kMetadataKey) return TensorError(name, "has the name that is kept for metadata");
  return absl::OkStatus();
}

std::string QuoteForMessage(absl::string_view name) {
  constexpr size_t kShown = 80;
  const bool cut = name.size() > kShown;
  return absl::StrCat("'", absl::CHexEscape(name.substr(0, kShown)), cut ? "...'" : "'");
}

}  // namespace lemma::nn
