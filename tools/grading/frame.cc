#include "tools/grading/frame.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lemma::tools::grading {
namespace {

constexpr std::array<char, 8> kMagic = {'L', 'E', 'M', 'M', 'A', 'G', 'R', '1'};

// FNV-1a.
uint64_t Checksum(absl::string_view bytes) {
  uint64_t sum = 0xcbf29ce484222325u;
  for (const char byte : bytes) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return sum;
}

bool ReadAll(int file, char* to, size_t count) {
  while (count > 0) {
    const ssize_t got = read(file, to, count);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    count -= static_cast<size_t>(got);
  }
  return true;
}

}  // namespace

std::string MakeFrame(const Nonce& nonce, uint32_t sequence, FrameKind kind,
                      absl::string_view payload) {
  const FrameHeader header = {kMagic, nonce, sequence, kind, payload.size(), Checksum(payload)};
  std::string frame(reinterpret_cast<const char*>(&header), sizeof(header));
  frame.append(payload.data(), payload.size());
  return frame;
}

ParseResult ParseFrame(absl::string_view received, const Nonce& nonce, uint32_t sequence,
                       Frame* frame) {
  FrameHeader& header = frame->header;
  const std::string expected = MakeFrame(nonce, sequence, FrameKind::kAnswer, "");
  const size_t known = offsetof(FrameHeader, kind);
  const size_t compared = std::min(received.size(), known);
  if (received.substr(0, compared) != absl::string_view(expected).substr(0, compared)) {
    return ParseResult::kNoFrame;
  }
  if (received.size() < sizeof(header)) return ParseResult::kIncomplete;
  std::memcpy(&header, received.data(), sizeof(header));
  if (header.size > kMaxPayload) return ParseResult::kNoFrame;
  received.remove_prefix(sizeof(header));
  if (received.size() < header.size) return ParseResult::kIncomplete;
  frame->payload = std::string(received.substr(0, header.size));
  return received.size() == header.size && Checksum(frame->payload) == header.checksum
             ? ParseResult::kFrame
             : ParseResult::kNoFrame;
}

std::optional<Frame> ReadFrame(int file) {
  Frame frame;
  char bytes[sizeof(FrameHeader)];
  if (!ReadAll(file, bytes, sizeof(bytes))) return std::nullopt;
  std::memcpy(&frame.header, bytes, sizeof(bytes));
  if (frame.header.magic != kMagic || frame.header.size > kMaxPayload) return std::nullopt;
  frame.payload.resize(frame.header.size);
  if (!ReadAll(file, frame.payload.data(), frame.payload.size())) return std::nullopt;
  return frame;
}

bool WriteAll(int file, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

}  // namespace lemma::tools::grading
