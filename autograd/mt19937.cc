#include "autograd/mt19937.h"

#include <algorithm>
#include <cstddef>

namespace lemma {
namespace {

constexpr int kShift = 397;

// The high bit of one word and the low 31 of the next, times the twist matrix.
uint32_t Twist(uint32_t high, uint32_t low) {
  const uint32_t joined = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (joined >> 1) ^ ((low & 1u) ? 0x9908b0dfu : 0u);
}

uint32_t Temper(uint32_t word) {
  word ^= word >> 11;
  word ^= (word << 7) & 0x9d2c5680u;
  word ^= (word << 15) & 0xefc60000u;
  return word ^ (word >> 18);
}

}  // namespace

Mt19937::Mt19937(uint64_t seed) : seed_(seed), left_(1), next_(0) {
  words_[0] = static_cast<uint32_t>(seed);
  for (int i = 1; i < kWords; ++i) {
    words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + static_cast<uint32_t>(i);
  }
}

Mt19937::Mt19937(uint64_t seed, int left, int next, const std::array<uint32_t, kWords>& words)
    : seed_(seed), left_(left), next_(next), words_(words) {}

bool Mt19937::Consistent(int64_t left, int64_t next) {
  const bool fresh = left == 1 && next == 0;
  return fresh || (1 <= next && next <= kWords && left == kWords + 1 - next);
}

void Mt19937::MakeBlock() {
  uint32_t* w = words_.data();
  for (int i = 0; i < kWords - kShift; ++i) w[i] = w[i + kShift] ^ Twist(w[i], w[i + 1]);
  for (int i = kWords - kShift; i < kWords - 1; ++i) {
    w[i] = w[i + kShift - kWords] ^ Twist(w[i], w[i + 1]);
  }
  w[kWords - 1] = w[kShift - 1] ^ Twist(w[kWords - 1], w[0]);
  left_ = kWords + 1;
  next_ = 0;
}

uint32_t Mt19937::Next() {
  if (left_ == 1) MakeBlock();
  --left_;
  return Temper(words_[next_++]);
}

uint64_t Mt19937::Next64() {
  const uint64_t high = Next();
  return (high << 32) | Next();
}

void Mt19937::Fill(absl::Span<uint32_t> out) {
  uint32_t* to = out.data();
  size_t wanted = out.size();
  while (wanted > 0) {
    if (left_ == 1) MakeBlock();
    const int count = static_cast<int>(std::min<size_t>(wanted, left_ - 1));
    const uint32_t* from = words_.data() + next_;
    for (int i = 0; i < count; ++i) to[i] = Temper(from[i]);
    to += count;
    wanted -= count;
    left_ -= count;
    next_ += count;
  }
}

}  // namespace lemma
