#include "tools/metrics.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "nn/atomic_file.h"

namespace lemma::tools {
namespace {

absl::Status ErrnoStatus(int error, absl::string_view action, const std::string& path) {
  return absl::Status(absl::ErrnoToStatusCode(error),
                      absl::StrCat("cannot ", action, " ", path, ": ", strerror(error)));
}

std::string JsonString(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string JsonNumber(double value) {
  if (std::isnan(value)) return "\"NaN\"";
  if (std::isinf(value)) return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  char text[32];
  return std::string(text, std::to_chars(text, text + sizeof(text), value).ptr);
}

// Receives one line piece by piece and admits nothing nested, so that no line can use much stack.
class RecordReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  const std::string& problem() const { return problem_; }
  bool has_step() const { return has_step_; }
  MetricsRecord&& TakeRecord() && { return std::move(record_); }

  bool start_object(size_t) override {
    if (is_open_) return Refuse("a value is an object");
    return is_open_ = true;
  }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return Refuse(is_open_ ? "a value is an array" : kNoObject); }
  bool end_array() override { return true; }
  bool key(string_t& key) override {
    key_ = key;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (is_open_ && key_ == "step" && value <= std::numeric_limits<int64_t>::max()) {
      return Step(static_cast<int64_t>(value));
    }
    return Value(static_cast<double>(value));
  }
  bool number_integer(number_integer_t value) override { return Value(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return Value(value); }
  bool string(string_t& text) override {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "NaN") return Value(std::numeric_limits<double>::quiet_NaN());
    if (text == "Infinity") return Value(kInfinity);
    if (text == "-Infinity") return Value(-kInfinity);
    return Refuse(is_open_ ? "a value is a text" : kNoObject);
  }
  bool null() override { return Value(std::numeric_limits<double>::quiet_NaN()); }
  bool boolean(bool) override { return Refuse(is_open_ ? "a value is true or false" : kNoObject); }
  bool binary(binary_t&) override { return Refuse("a value is binary"); }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception&) override {
    return Refuse(absl::StrCat("no valid JSON at column ", position));
  }

 private:
  static constexpr const char* kNoObject = "it is no JSON object";

  bool Refuse(absl::string_view problem) {
    if (problem_.empty()) problem_ = std::string(problem);
    return false;
  }
  bool Step(int64_t step) {
    record_.step = step;
    return has_step_ = true;
  }
  bool Value(double value) {
    if (!is_open_) return Refuse(kNoObject);
    if (key_ == "step") return Refuse("its step is no whole number from 0 on");
    record_.values.emplace_back(key_, value);
    return true;
  }

  bool is_open_ = false;
  bool has_step_ = false;
  std::string key_;
  std::string problem_;
  MetricsRecord record_;
};

void ParseLine(absl::string_view line, int64_t number, MetricsFile* file) {
  RecordReader reader;
  std::string problem;
  if (line.find('\0') != absl::string_view::npos) {
    problem = "it has a NUL byte";
  } else if (!nlohmann::json::sax_parse(line.begin(), line.end(), &reader)) {
    problem = reader.problem();
  } else if (!reader.has_step()) {
    problem = "it has no step";
  }
  if (problem.empty()) {
    file->records.push_back(std::move(reader).TakeRecord());
  } else {
    file->problems.push_back(absl::StrCat("line ", number, ": ", problem));
  }
}

}  // namespace

std::optional<double> MetricsRecord::Find(absl::string_view name) const {
  for (const auto& [own, value] : values) {
    if (own == name) return value;
  }
  return std::nullopt;
}

absl::StatusOr<MetricsWriter> MetricsWriter::Open(const std::string& path) {
  MetricsWriter writer;
  writer.path_ = path;
  writer.descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (writer.descriptor_ < 0) return ErrnoStatus(errno, "write", path);
  struct stat info;
  char last = '\n';
  if (fstat(writer.descriptor_, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0 &&
      pread(writer.descriptor_, &last, 1, info.st_size - 1) == 1 && last != '\n' &&
      write(writer.descriptor_, "\n", 1) != 1) {
    return ErrnoStatus(errno, "write", path);
  }
  return writer;
}

MetricsWriter::MetricsWriter(MetricsWriter&& other) noexcept { *this = std::move(other); }

MetricsWriter& MetricsWriter::operator=(MetricsWriter&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

MetricsWriter::~MetricsWriter() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status MetricsWriter::Append(const MetricsRecord& record) {
  const std::string line = absl::StrCat(FormatMetrics(record), "\n");
  absl::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t count = write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return ErrnoStatus(count < 0 ? errno : ENOSPC, "write", path_);
    rest.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

std::string FormatMetrics(const MetricsRecord& record) {
  std::string line = absl::StrCat("{\"step\":", record.step);
  for (const auto& [name, value] : record.values) {
    absl::StrAppend(&line, ",", JsonString(name), ":", JsonNumber(value));
  }
  return line + "}";
}

absl::StatusOr<MetricsFile> ReadMetrics(const std::string& path) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", path, ": it is not a file"));
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return ErrnoStatus(errno != 0 ? errno : ENOENT, "read", path);
  std::string text;
  try {
    text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (const std::ios_base::failure&) {
    in.setstate(std::ios::badbit);
  }
  if (in.bad()) return ErrnoStatus(errno != 0 ? errno : EIO, "read", path);
  return ParseMetrics(text);
}

MetricsFile ParseMetrics(absl::string_view text) {
  MetricsFile file;
  int64_t number = 1;
  for (size_t end; (end = text.find('\n')) != absl::string_view::npos; ++number) {
    absl::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty()) ParseLine(line, number, &file);
  }
  return file;
}

absl::Status TruncateMetrics(const std::string& path, int64_t step) {
  absl::StatusOr<MetricsFile> file = ReadMetrics(path);
  if (absl::IsNotFound(file.status())) return absl::OkStatus();
  if (!file.ok()) return file.status();
  std::string text;
  for (const MetricsRecord& record : file->records) {
    if (record.step <= step) absl::StrAppend(&text, FormatMetrics(record), "\n");
  }
  return nn::WriteFileAtomically(path, text);
}

}  // namespace lemma::tools
