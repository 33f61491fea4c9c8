// Generator::State and SetState: PyTorch's layout of a generator's state.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "autograd/mt19937.h"
#include "autograd/random.h"

namespace lemma {
namespace {

// The bytes of a state, in their order.
struct Layout {
  uint64_t seed;
  int32_t left;
  int32_t seeded;
  uint64_t next;
  std::array<uint64_t, Mt19937::kWords> words;
  double normal_x;
  double normal_y;
  double normal_rho;
  int32_t normal_is_kept;
  uint32_t padding;
  float kept_float;
  uint8_t float_is_kept;
  std::array<uint8_t, 3> more_padding;
};
static_assert(sizeof(Layout) == Generator::kStateBytes && std::is_trivially_copyable_v<Layout>);
static_assert(std::endian::native == std::endian::little,
              "the layout's integers are little-endian");

template <typename... Pieces>
absl::Status Refused(const Pieces&... pieces) {
  return absl::InvalidArgumentError(
      absl::StrCat("the state of a random generator: ", pieces...,
                   "; give bytes that Generator::State or torch's get_state() returned"));
}

absl::Status CheckWords(const Layout& state) {
  uint64_t any = 0;
  for (size_t i = 0; i < state.words.size(); ++i) {
    if (state.words[i] >> 32 != 0) {
      return Refused("word ", i, " is ", state.words[i], ", expected less than 2^32");
    }
    any |= state.words[i];
  }
  if (any == 0) return Refused("all 624 words are 0, from which only zeros would be drawn");
  return absl::OkStatus();
}

absl::Status Check(const Layout& state) {
  if (state.seeded != 1) return Refused("`seeded` is ", state.seeded, ", expected 1");
  if (state.next > Mt19937::kWords ||
      !Mt19937::Consistent(state.left, static_cast<int64_t>(state.next))) {
    return Refused("`left` is ", state.left, " and `next` is ", state.next,
                   ", expected 1 and 0, or a next of 1 to 624 and left = 625 - next");
  }
  if (state.normal_is_kept != 0 && state.normal_is_kept != 1) {
    return Refused("the flag of the kept normal is ", state.normal_is_kept, ", expected 0 or 1");
  }
  if (state.normal_is_kept == 1 && !std::isfinite(state.normal_y)) {
    return Refused("the kept normal is ", state.normal_y, ", expected a finite number");
  }
  if (state.float_is_kept > 1) {
    return Refused("the flag of the kept float is ", static_cast<int>(state.float_is_kept),
                   ", expected 0 or 1");
  }
  if (state.float_is_kept == 1 && !std::isfinite(state.kept_float)) {
    return Refused("the kept float is ", state.kept_float, ", expected a finite number");
  }
  return CheckWords(state);
}

}  // namespace

std::string Generator::State() const {
  Layout state = {};
  state.seed = engine_.seed();
  state.left = engine_.left();
  state.seeded = 1;
  state.next = static_cast<uint64_t>(engine_.next());
  std::copy(engine_.words().begin(), engine_.words().end(), state.words.begin());
  if (normal_is_kept_) state.normal_y = kept_normal_;
  state.normal_is_kept = normal_is_kept_;
  if (float_is_kept_) state.kept_float = kept_float_;
  state.float_is_kept = float_is_kept_;
  std::string bytes(kStateBytes, '\0');
  std::memcpy(bytes.data(), &state, sizeof(state));
  return bytes;
}

absl::Status Generator::SetState(absl::string_view bytes) {
  if (bytes.size() != kStateBytes) {
    return Refused("given ", bytes.size(), " bytes, expected ", kStateBytes);
  }
  Layout state;
  std::memcpy(&state, bytes.data(), sizeof(state));
  if (absl::Status status = Check(state); !status.ok()) return status;
  std::array<uint32_t, Mt19937::kWords> words;
  std::copy(state.words.begin(), state.words.end(), words.begin());
  engine_ = Mt19937(state.seed, state.left, static_cast<int>(state.next), words);
  normal_is_kept_ = state.normal_is_kept == 1;
  kept_normal_ = normal_is_kept_ ? state.normal_y : 0.0;
  float_is_kept_ = state.float_is_kept == 1;
  kept_float_ = float_is_kept_ ? state.kept_float : 0.0f;
  return absl::OkStatus();
}

}  // namespace lemma
