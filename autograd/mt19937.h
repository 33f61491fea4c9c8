// The Mersenne Twister MT19937 of Matsumoto and Nishimura (1998), seeded as PyTorch seeds it.
//
//   Mt19937 engine(1234);
//   uint32_t word = engine.Next();
//   std::vector<uint32_t> words(1000);
//   engine.Fill(absl::MakeSpan(words));  // the same words as 1000 calls of Next()
//
// With one and the same 32-bit seed the words are those of std::mt19937. Fill works on the block of
// 624 words that the twister makes at a time, so it is several times as fast as Next.
//
// A value type of about 2.5 KB; not to be used by two threads at once.
#ifndef LEMMA_AUTOGRAD_MT19937_H_
#define LEMMA_AUTOGRAD_MT19937_H_

#include <array>
#include <cstdint>

#include "absl/types/span.h"

namespace lemma {

class Mt19937 {
 public:
  static constexpr int kWords = 624;

  // Of `seed` only the low 32 bits choose the stream; seed() gives back all 64.
  explicit Mt19937(uint64_t seed);

  // A state taken apart as the accessors below give it. The caller vouches for Consistent(left,
  // next) and for `words` that are not all zero.
  Mt19937(uint64_t seed, int left, int next, const std::array<uint32_t, kWords>& words);

  uint32_t Next();
  // Two words, the first of them the high half.
  uint64_t Next64();
  void Fill(absl::Span<uint32_t> out);

  uint64_t seed() const { return seed_; }
  const std::array<uint32_t, kWords>& words() const { return words_; }

  // PyTorch's two counters: `next` is the index of the word that is drawn next, `left` - 1 says how
  // many are left in this block. A fresh engine has left = 1, next = 0: its first draw makes the
  // first block.
  int left() const { return left_; }
  int next() const { return next_; }

  // Whether an engine can have these two counters.
  static bool Consistent(int64_t left, int64_t next);

 private:
  void MakeBlock();

  uint64_t seed_;
  int left_;
  int next_;
  std::array<uint32_t, kWords> words_;
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_MT19937_H_
