#include "models/gpt/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/create.h"
#include "autograd/error.h"
#include "autograd/ops/views.h"

namespace lemma::models {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// Token numbers, most likely first; of equals the first.
std::vector<int64_t> ByProbability(const std::vector<float>& values) {
  std::vector<int64_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return values[a] > values[b]; });
  return order;
}

// exp(x - max) / sum, in float32 as torch.softmax.
void SoftmaxInPlace(std::vector<float>& values) {
  const float max = *std::max_element(values.begin(), values.end());
  float sum = 0;
  for (float& value : values) {
    value = std::exp(value - max);
    sum += value;
  }
  for (float& value : values) value /= sum;
}

// (x - max) / temperature: softmax takes the constant out, and the largest stays 0 whatever the
// temperature.
void Divide(double temperature, std::vector<float>& logits) {
  constexpr double kLeast = std::numeric_limits<float>::lowest();
  const double max = *std::max_element(logits.begin(), logits.end());
  for (float& value : logits) {
    value = static_cast<float>(std::max((value - max) / temperature, kLeast));
  }
}

void KeepTopK(int64_t k, std::vector<float>& logits) {
  if (k <= 0 || k >= static_cast<int64_t>(logits.size())) return;
  const std::vector<int64_t> order = ByProbability(logits);
  for (size_t i = k; i < order.size(); ++i) logits[order[i]] = kMinusInfinity;
}

// Drops the least likely tokens that are not needed to reach `p`; the first always stays.
void KeepTopP(double p, std::vector<float>& probabilities) {
  if (p >= 1) return;
  const std::vector<int64_t> order = ByProbability(probabilities);
  double sum = 0;
  for (int64_t token : order) {
    if (sum >= p && sum > 0) probabilities[token] = 0;
    sum += probabilities[token];
  }
}

void CheckOptions(const SamplingOptions& options) {
  if (!(options.temperature >= 0) || !std::isfinite(options.temperature)) {
    Fail("sample", "temperature: it must be 0 or a positive number; it is ", options.temperature);
  }
  if (options.top_k < 0) Fail("sample", "top_k: it can't be negative; it is ", options.top_k);
  if (!(options.top_p > 0 && options.top_p <= 1)) {
    Fail("sample", "top_p: it must be in (0, 1]; it is ", options.top_p);
  }
}

void CheckLogits(const std::vector<float>& logits) {
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isfinite(logits[i])) continue;
    Fail("sample", "logits: each must be finite, but that of token ", i, " is ", logits[i],
         "; the model's parameters are too large, or not finite themselves");
  }
}

}  // namespace

int64_t SampleToken(absl::Span<const float> logits, const SamplingOptions& options,
                    Generator& generator) {
  CheckOptions(options);
  std::vector<float> values(logits.begin(), logits.end());
  CheckLogits(values);
  if (options.temperature == 0) {
    return std::max_element(values.begin(), values.end()) - values.begin();
  }
  if (options.temperature != 1) Divide(options.temperature, values);
  KeepTopK(options.top_k, values);
  SoftmaxInPlace(values);
  KeepTopP(options.top_p, values);
  return generator.Multinomial(values);
}

GptGenerator::GptGenerator(Gpt& model, const SamplingOptions& options, Generator* generator)
    : model_(model),
      options_(options),
      generator_(generator),
      decoder_(model),
      cache_(model.config()) {
  CheckOptions(options);
  if (generator == nullptr && options.temperature != 0) {
    Fail("sample", "generator: it is needed but for temperature 0");
  }
}

void GptGenerator::Append(absl::Span<const int64_t> tokens) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  logits_ = Tensor();
}

// The logits after the last token of `window`, of which the cache, if given, has seen what is
// before.
Tensor GptGenerator::LogitsOf(absl::Span<const int64_t> window, GptCache* cache) {
  const int64_t t = static_cast<int64_t>(window.size());
  if (t == 1 && cache != nullptr && decoder_.CanDecode()) return decoder_.Logits(window[0], *cache);
  const Tensor hidden = model_.Hidden(FromValues<int64_t>(window, {1, t}), cache);
  return Reshape(model_.head(Slice(hidden, 1, t - 1)), {model_.config().vocab});
}

Tensor GptGenerator::NextLogits() {
  if (tokens_.empty()) Fail("sample", "the text is empty; Append a first token");
  if (!logits_.defined()) {
    NoGrad no_grad;
    const bool crops = options_.window == Window::kCrop &&
                       tokens_.size() > static_cast<size_t>(model_.config().context);
    logits_ = crops ? CroppedLogits() : CachedLogits();
  }
  return logits_;
}

Tensor GptGenerator::CroppedLogits() {
  const absl::Span<const int64_t> tokens(tokens_);
  return LogitsOf(tokens.subspan(tokens.size() - model_.config().context), nullptr);
}

Tensor GptGenerator::CachedLogits() {
  const absl::Span<const int64_t> tokens(tokens_);
  const size_t context = static_cast<size_t>(model_.config().context);
  if (cache_.length() + tokens.size() - cached_end_ > context) {
    // The window starts anew: all that fits at first, half of it on overflow.
    const size_t kept = cached_end_ == 0 ? context : std::max<size_t>(context / 2, 1);
    cache_.Clear();
    cached_end_ = tokens.size() - std::min(kept, tokens.size());
  }
  const Tensor logits = LogitsOf(tokens.subspan(cached_end_), &cache_);
  cached_end_ = tokens.size();
  return logits;
}

int64_t GptGenerator::Next() {
  const Tensor logits = NextLogits();
  const size_t vocab = static_cast<size_t>(logits.numel());
  const int64_t token = SampleToken({logits.data<float>(), vocab}, options_, *generator_);
  Append(absl::MakeConstSpan(&token, 1));
  return token;
}

}  // namespace lemma::models
