// Random numbers: the CPU streams of PyTorch's torch.manual_seed, bit for bit.
//
//   Generator generator(1337);
//   std::vector<float> weights(65 * 128);
//   generator.Normal(absl::MakeSpan(weights), 0.0, 0.02);   // torch.randn(65, 128) * 0.02
//   int64_t next = generator.Multinomial(probabilities);    // torch.multinomial(p, 1)
//
// There is no global generator: whoever draws has been given one. A Generator is a value; a copy
// continues with the same numbers. It takes 2.6 KB and may not be used by two threads at once.
//
// The words come from MT19937. How many each function takes from the stream is part of its
// contract, because what is drawn next depends on it; w below is that number. The results are those
// of PyTorch 2.7 and newer on x86-64 with AVX2, on any machine; in Exponential, Multinomial, Normal
// of doubles and Normal of fewer than 16 floats they are as exact as the C library's log, log1p,
// sin and cos. A tensor must be contiguous for its elements to be drawn with one call.
//
// Wrong calls throw lemma::Error and draw nothing.
#ifndef LEMMA_AUTOGRAD_RANDOM_H_
#define LEMMA_AUTOGRAD_RANDOM_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "autograd/mt19937.h"

namespace lemma {

class Generator {
 public:
  // Only the low 32 bits of a seed choose the stream, as in PyTorch.
  explicit Generator(uint64_t seed);
  void ManualSeed(uint64_t seed);
  uint64_t seed() const { return engine_.seed(); }

  // One word; two words, of which the first is the high half.
  uint32_t Random();
  uint64_t Random64();

  // torch.rand, uniform_(low, high): low + (high - low) u in one fused multiply-add, with u in
  // [0, 1). Of floats u has 24 bits (w = n), of doubles 53 (w = 2n). The sum is rounded, so that
  // `high` itself can come out. Needs finite low <= high.
  void Uniform(absl::Span<float> out, double low = 0.0, double high = 1.0);
  void Uniform(absl::Span<double> out, double low = 0.0, double high = 1.0);

  // torch.randn, normal_(mean, std), by Box and Muller's transform. Needs std >= 0.
  // n < 16: in double, one number at a time; each pair of them takes 4 words, and the second of a
  //   pair is kept for the next call of this kind.
  // n >= 16: in the type of `out`, in blocks of 16: n uniforms are drawn, and if n is no multiple
  //   of 16, another 16 for the last 16 places. w = n, or n + 16; twice that for doubles.
  void Normal(absl::Span<float> out, double mean = 0.0, double std = 1.0);
  void Normal(absl::Span<double> out, double mean = 0.0, double std = 1.0);

  // torch.randint: integers in [low, high). w = n, from a range of 2^28 on 2n. Needs low < high.
  void RandInt(absl::Span<int64_t> out, int64_t low, int64_t high);

  // torch.randperm: a permutation of 0 .. n-1. w = n - 1 (n < 2^32 / 20; beyond, 2n).
  void RandPerm(absl::Span<int64_t> out);

  // exponential_(lambda): density lambda exp(-lambda x). w = 2n. Needs a finite lambda > 0.
  void Exponential(absl::Span<float> out, double lambda = 1.0);

  // bernoulli_(p): 1 with probability p, else 0. w = 2n. Needs p in [0, 1].
  void Bernoulli(absl::Span<float> out, double p);
  void Bernoulli(absl::Span<uint8_t> out, double p);
  void Bernoulli(absl::Span<bool> out, double p);

  // torch.multinomial: indices drawn in proportion to `probabilities`, which are finite, not
  // negative and not all zero, and need not sum to 1.
  // One draw, or any number without replacement: w = 2 per category. Each gets an exponential q,
  //   and those with the largest p / q win, in falling order (of equals the first).
  // n > 1 with replacement: w = 2n; the first category whose cumulative sum reaches a uniform u.
  // Without replacement n may not exceed the number of categories with p > 0.
  int64_t Multinomial(absl::Span<const float> probabilities);
  std::vector<int64_t> Multinomial(absl::Span<const float> probabilities, int64_t n,
                                   bool replacement);

  // The 5056 bytes of torch.Generator.get_state(), little-endian: u64 seed, i32 left, i32 seeded,
  // u64 next, 624 words in u64 each, f64 x, f64 y (the kept normal), f64 rho, i32 y is kept,
  // 4 bytes, f32 kept float, u8 float is kept, 3 bytes. SetState takes such bytes, PyTorch's own
  // among them, and refuses all that no generator can have written; then nothing has changed.
  static constexpr int kStateBytes = 5056;
  std::string State() const;
  absl::Status SetState(absl::string_view bytes);

 private:
  double Uniform53();
  double OneNormal();
  void Exponentials(absl::Span<float> out, double lambda);

  template <typename T>
  void Uniforms(absl::Span<T> out, T low, T high);
  template <typename T>
  void Normals(absl::Span<T> out, double mean, double std);
  template <typename T>
  void Bernoullis(absl::Span<T> out, double p);

  int64_t LargestRatio(absl::Span<const float> probabilities);
  std::vector<int64_t> LargestRatios(absl::Span<const float> probabilities, int64_t n);
  std::vector<int64_t> WithReplacement(absl::Span<const float> probabilities, int64_t n);

  Mt19937 engine_;
  bool normal_is_kept_ = false;
  double kept_normal_ = 0.0;
  // PyTorch's state has these two; no function above reads them.
  bool float_is_kept_ = false;
  float kept_float_ = 0.0f;
};

// Is told of every draw on this thread, just before it, while a Scope is open. So whoever has to
// repeat a computation with the same numbers can copy a generator at its first draw, or put the
// copy in its place: the draw uses the state that `generator` has when BeforeDraw returns. A call
// of one of the functions above is one draw, whatever it draws.
class GeneratorObserver {
 public:
  class Scope;

  virtual ~GeneratorObserver() = default;
  virtual void BeforeDraw(Generator& generator) = 0;
};

// Installs an observer on this thread for the Scope's lifetime. Scopes nest; the observers of all
// that are open are told, the outermost first. Inside BeforeDraw no observer is told of draws.
class GeneratorObserver::Scope {
 public:
  explicit Scope(GeneratorObserver* observer);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

  // Tells the observers of this thread; the Generator calls it.
  static void Notify(Generator& generator);

 private:
  static void NotifyFrom(const Scope* scope, Generator& generator);

  GeneratorObserver* observer_;
  Scope* outer_;
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_RANDOM_H_
