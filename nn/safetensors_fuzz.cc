// Any bytes are a safetensors file or are refused with a sentence; what is read can be written
// back.

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "autograd/error.h"
#include "nn/safetensors.h"
#include "nn/safetensors_header.h"

namespace lemma::nn {
namespace {

void CheckRefusal(absl::string_view sentence) {
  LEMMA_CHECK(!sentence.empty() && sentence.size() < 1000, sentence.size());
  for (const char c : sentence) LEMMA_CHECK(!absl::ascii_iscntrl(c), sentence);
}

// All that its entries say of the file, as a header.
SafetensorsHeader HeaderOf(const SafetensorsFile& file) {
  SafetensorsHeader header = {file.metadata(), {}};
  uint64_t end = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    const uint64_t begin = end;
    end += entry.bytes.size();
    header.places.push_back({entry.name, entry.dtype, entry.shape, begin, end});
  }
  return header;
}

void CheckFile(const SafetensorsFile& file) {
  unsigned sum = 0;
  for (const SafetensorsEntry& entry : file.entries()) {
    LEMMA_CHECK(file.Find(entry.name) == &entry);
    const auto bytes = SafetensorsBytes(entry.name, entry.dtype, entry.shape);
    LEMMA_CHECK(bytes.ok() && *bytes == entry.bytes.size());
    sum = std::accumulate(entry.bytes.begin(), entry.bytes.end(), sum);
  }
  // So that reading all bytes is not optimised away.
  volatile unsigned kept = sum;
  static_cast<void>(kept);

  const SafetensorsHeader header = HeaderOf(file);
  const absl::StatusOr<std::string> formatted = FormatSafetensorsHeader(header);
  LEMMA_CHECK(formatted.ok(), formatted.status().message());
  const auto again = ParseSafetensorsHeader(formatted->substr(8),
                                            header.places.empty() ? 0 : header.places.back().end);
  LEMMA_CHECK(again.ok(), again.status().message());
  LEMMA_CHECK(again->metadata == header.metadata);
  LEMMA_CHECK(again->places.size() == header.places.size());
}

}  // namespace
}  // namespace lemma::nn

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lemma::nn;
  const auto file = SafetensorsFile::Parse(std::string(reinterpret_cast<const char*>(data), size));
  if (file.ok()) CheckFile(*file);
  if (!file.ok()) CheckRefusal(file.status().message());
  return 0;
}
