// The records on the pipes between the grader and the process that runs a learner's code.
//
// Each begins with a magic word and the nonce of its run, a number that only the grader and its
// child's main know, so that bytes which anything else writes to the pipe are told apart from an
// answer. All sizes are checked before they are believed.
#ifndef LEMMA_TOOLS_GRADING_FRAME_H_
#define LEMMA_TOOLS_GRADING_FRAME_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace lemma::tools::grading {

using Nonce = std::array<uint64_t, 2>;

enum class FrameKind : uint32_t {
  kHello = 1,   // grader to child: the nonce of the run
  kCall = 2,    // grader to child: the inputs
  kAnswer = 3,  // child to grader: outputs, and the inputs as they are after the call
  kThrew = 4,   // child to grader: the text of an exception
  kNoMemory = 5,
  kTooLarge = 6,  // child to grader: how large the outputs are
};

struct FrameHeader {
  std::array<char, 8> magic;
  Nonce nonce;
  uint32_t sequence;
  FrameKind kind;
  uint64_t size;
  uint64_t checksum;
};

constexpr uint64_t kMaxPayload = uint64_t{64} << 20;

// Header and payload.
std::string MakeFrame(const Nonce& nonce, uint32_t sequence, FrameKind kind,
                      absl::string_view payload);

struct Frame {
  FrameHeader header;
  std::string payload;
};

enum class ParseResult { kFrame, kIncomplete, kNoFrame };

// Looks at the front of what was received. kNoFrame: these bytes are not the beginning of a frame
// of this run with this sequence number.
ParseResult ParseFrame(absl::string_view received, const Nonce& nonce, uint32_t sequence,
                       Frame* frame);

// The child's side, on blocking pipes. Nothing where the pipe has ended or holds something else.
std::optional<Frame> ReadFrame(int file);
bool WriteAll(int file, absl::string_view bytes);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_FRAME_H_
