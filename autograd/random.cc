#include "autograd/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/error.h"
#include "autograd/kernels/reference/random.h"
#include "autograd/kernels/simd/random.h"

namespace lemma {
namespace {

// Words are turned into numbers in pieces of this many, which stay in the first-level cache. A
// multiple of Box and Muller's 16.
constexpr size_t kPiece = 1024;

thread_local GeneratorObserver::Scope* innermost_scope = nullptr;

template <typename T>
void FillUniform(Mt19937& engine, absl::Span<T> out, T low, T high) {
  constexpr size_t kWordsEach = sizeof(T) / sizeof(uint32_t);
  std::array<uint32_t, kWordsEach * kPiece> words;
  for (size_t i = 0; i < out.size(); i += kPiece) {
    const size_t count = std::min(kPiece, out.size() - i);
    engine.Fill(absl::MakeSpan(words.data(), kWordsEach * count));
    if constexpr (std::is_same_v<T, float>) {
      kernels::simd::Uniform(words.data(), count, low, high, &out[i]);
    } else {
      kernels::reference::Uniform(words.data(), count, low, high, &out[i]);
    }
  }
}

void BoxMuller(absl::Span<float> data, double mean, double std) {
  kernels::simd::BoxMuller(data.data(), data.size() / 16, static_cast<float>(mean),
                           static_cast<float>(std));
}

void BoxMuller(absl::Span<double> data, double mean, double std) {
  kernels::reference::BoxMuller(data.data(), data.size() / 16, mean, std);
}

// Where n is no multiple of 16, the uniforms after the last whole block are drawn and dropped: the
// last 16 places are drawn again.
template <typename T>
void FillNormal(Mt19937& engine, absl::Span<T> out, double mean, double std) {
  const size_t whole = out.size() / 16 * 16;
  for (size_t i = 0; i < whole; i += kPiece) {
    const absl::Span<T> piece = out.subspan(i, std::min(kPiece, whole - i));
    FillUniform<T>(engine, piece, 0, 1);
    BoxMuller(piece, mean, std);
  }
  if (whole == out.size()) return;
  FillUniform<T>(engine, out.subspan(whole), 0, 1);
  const absl::Span<T> last = out.subspan(out.size() - 16);
  FillUniform<T>(engine, last, 0, 1);
  BoxMuller(last, mean, std);
}

// Fails unless these can be drawn from; returns how many categories can come out.
int64_t CountPossible(absl::Span<const float> probabilities) {
  double sum = 0.0;
  int64_t possible = 0;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const float p = probabilities[i];
    if (!(p >= 0.0f) || std::isinf(p)) {
      Fail("multinomial", "probabilities: must be finite and not negative; number ", i, " is ", p);
    }
    sum += p;
    possible += p > 0.0f;
  }
  if (possible == 0) {
    Fail("multinomial", "probabilities: one must be above 0; all ", probabilities.size(), " are 0");
  }
  if (sum > std::numeric_limits<float>::max()) {
    Fail("multinomial", "probabilities: their sum must be a finite float; it is ", sum);
  }
  return possible;
}

}  // namespace

GeneratorObserver::Scope::Scope(GeneratorObserver* observer)
    : observer_(observer), outer_(innermost_scope) {
  innermost_scope = this;
}

GeneratorObserver::Scope::~Scope() { innermost_scope = outer_; }

void GeneratorObserver::Scope::NotifyFrom(const Scope* scope, Generator& generator) {
  if (scope == nullptr) return;
  NotifyFrom(scope->outer_, generator);
  scope->observer_->BeforeDraw(generator);
}

void GeneratorObserver::Scope::Notify(Generator& generator) {
  if (innermost_scope == nullptr) [[likely]]
    return;
  struct Silence {
    Scope* scope = std::exchange(innermost_scope, nullptr);
    ~Silence() { innermost_scope = scope; }
  } silence;
  NotifyFrom(silence.scope, generator);
}

Generator::Generator(uint64_t seed) : engine_(seed) {}

void Generator::ManualSeed(uint64_t seed) { *this = Generator(seed); }

uint32_t Generator::Random() {
  GeneratorObserver::Scope::Notify(*this);
  return engine_.Next();
}

uint64_t Generator::Random64() {
  GeneratorObserver::Scope::Notify(*this);
  return engine_.Next64();
}

double Generator::Uniform53() {
  return static_cast<double>(engine_.Next64() & ((uint64_t{1} << 53) - 1)) * 0x1p-53;
}

template <typename T>
void Generator::Uniforms(absl::Span<T> out, T low, T high) {
  if (!(low <= high) || !std::isfinite(high - low)) {
    Fail("uniform", "low, high: must be finite, low not above high; they are ", low, " and ", high);
  }
  GeneratorObserver::Scope::Notify(*this);
  FillUniform<T>(engine_, out, low, high);
}

void Generator::Uniform(absl::Span<float> out, double low, double high) {
  Uniforms(out, static_cast<float>(low), static_cast<float>(high));
}

void Generator::Uniform(absl::Span<double> out, double low, double high) {
  Uniforms(out, low, high);
}

double Generator::OneNormal() {
  if (std::exchange(normal_is_kept_, false)) return kept_normal_;
  const double u1 = Uniform53();
  const double u2 = Uniform53();
  const double radius = std::sqrt(-2.0 * std::log1p(-u2));
  const double theta = 2.0 * std::numbers::pi * u1;
  kept_normal_ = radius * std::sin(theta);
  normal_is_kept_ = true;
  return radius * std::cos(theta);
}

template <typename T>
void Generator::Normals(absl::Span<T> out, double mean, double std) {
  if (!(std >= 0.0) || std::isinf(std) || !std::isfinite(mean)) {
    Fail("normal", "mean, std: must be finite, std not negative; they are ", mean, " and ", std);
  }
  GeneratorObserver::Scope::Notify(*this);
  if (out.size() >= 16) {
    FillNormal<T>(engine_, out, mean, std);
  } else {
    for (T& x : out) x = static_cast<T>(std::fma(OneNormal(), std, mean));
  }
}

void Generator::Normal(absl::Span<float> out, double mean, double std) { Normals(out, mean, std); }

void Generator::Normal(absl::Span<double> out, double mean, double std) { Normals(out, mean, std); }

void Generator::RandInt(absl::Span<int64_t> out, int64_t low, int64_t high) {
  if (low >= high) {
    Fail("randint", "low: must be below high; low is ", low, ", high is ", high);
  }
  GeneratorObserver::Scope::Notify(*this);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const bool wide = range >= (uint64_t{1} << 28);
  for (int64_t& x : out) {
    const uint64_t word = wide ? engine_.Next64() : engine_.Next();
    x = static_cast<int64_t>(static_cast<uint64_t>(low) + word % range);
  }
}

void Generator::RandPerm(absl::Span<int64_t> out) {
  GeneratorObserver::Scope::Notify(*this);
  const uint64_t n = out.size();
  if (n < std::numeric_limits<uint32_t>::max() / 20) {
    std::iota(out.begin(), out.end(), int64_t{0});
    for (uint64_t i = 0; i + 1 < n; ++i) std::swap(out[i], out[i + engine_.Next() % (n - i)]);
    return;
  }
  // So long that the remainder of a 32-bit word would favour some places.
  for (uint64_t i = 0; i < n; ++i) {
    const uint64_t place = engine_.Next64() % (i + 1);
    out[i] = out[place];
    out[place] = static_cast<int64_t>(i);
  }
}

void Generator::Exponentials(absl::Span<float> out, double lambda) {
  for (float& x : out) x = static_cast<float>(-1.0 / lambda * std::log1p(-Uniform53()));
}

void Generator::Exponential(absl::Span<float> out, double lambda) {
  if (!(lambda > 0.0) || std::isinf(lambda)) {
    Fail("exponential", "lambda: must be finite and above 0; it is ", lambda);
  }
  GeneratorObserver::Scope::Notify(*this);
  Exponentials(out, lambda);
}

template <typename T>
void Generator::Bernoullis(absl::Span<T> out, double p) {
  if (!(0.0 <= p && p <= 1.0)) Fail("bernoulli", "p: must be in [0, 1]; it is ", p);
  GeneratorObserver::Scope::Notify(*this);
  for (T& x : out) x = static_cast<T>(Uniform53() < p);
}

void Generator::Bernoulli(absl::Span<float> out, double p) { Bernoullis(out, p); }

void Generator::Bernoulli(absl::Span<uint8_t> out, double p) { Bernoullis(out, p); }

void Generator::Bernoulli(absl::Span<bool> out, double p) { Bernoullis(out, p); }

int64_t Generator::Multinomial(absl::Span<const float> probabilities) {
  return Multinomial(probabilities, 1, /*replacement=*/false)[0];
}

std::vector<int64_t> Generator::Multinomial(absl::Span<const float> probabilities, int64_t n,
                                            bool replacement) {
  if (n < 1) Fail("multinomial", "n: must be at least 1; it is ", n);
  const int64_t possible = CountPossible(probabilities);
  if (!replacement && n > possible) {
    Fail("multinomial", "n: at most ", possible, " of the ", probabilities.size(),
         " categories can be drawn without replacement, those with p > 0; n is ", n);
  }
  GeneratorObserver::Scope::Notify(*this);
  if (n == 1) return {LargestRatio(probabilities)};
  return replacement ? WithReplacement(probabilities, n) : LargestRatios(probabilities, n);
}

// The category whose p / q is the largest, the first of equals, where q = -log1p(-u) is drawn from
// the exponential distribution. As q >= u, few logarithms are needed.
int64_t Generator::LargestRatio(absl::Span<const float> probabilities) {
  constexpr double kRelativeError = 1e-6, kAbsoluteError = 1e-44;  // more than that of p / q
  float largest = -1.0f;
  int64_t chosen = -1;
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const double u = Uniform53();
    const double p = probabilities[i];
    const bool is_less = p * (1 + kRelativeError) + kAbsoluteError < largest * u;
    // Also where q is 0: 0 / 0 must not win.
    if (p == 0 || is_less) continue;
    const float ratio = probabilities[i] / static_cast<float>(-std::log1p(-u));
    if (ratio > largest) {
      largest = ratio;
      chosen = static_cast<int64_t>(i);
    }
  }
  return chosen;
}

std::vector<int64_t> Generator::LargestRatios(absl::Span<const float> probabilities, int64_t n) {
  std::vector<float> ratios(probabilities.size());
  Exponentials(absl::MakeSpan(ratios), 1.0);
  std::vector<int64_t> order;
  for (size_t i = 0; i < ratios.size(); ++i) {
    // Also where q is 0: 0 / 0 must not win.
    if (probabilities[i] == 0.0f) continue;
    ratios[i] = probabilities[i] / ratios[i];
    order.push_back(static_cast<int64_t>(i));
  }
  std::partial_sort(order.begin(), order.begin() + n, order.end(), [&](int64_t a, int64_t b) {
    return ratios[a] != ratios[b] ? ratios[a] > ratios[b] : a < b;
  });
  order.resize(n);
  return order;
}

std::vector<int64_t> Generator::WithReplacement(absl::Span<const float> probabilities, int64_t n) {
  std::vector<float> cumulative(probabilities.size());
  std::partial_sum(probabilities.begin(), probabilities.end(), cumulative.begin());
  const float sum = cumulative.back();
  for (float& c : cumulative) c /= sum;
  cumulative.back() = 1.0f;
  std::vector<int64_t> drawn(n);
  for (int64_t& index : drawn) {
    const double u = Uniform53();
    index = std::lower_bound(cumulative.begin(), cumulative.end(), u) - cumulative.begin();
  }
  return drawn;
}

}  // namespace lemma
