// Text from a GPT, one token at a time.
//
//   GptGenerator text(model, {.temperature = 0.8}, &generator);
//   text.Append({newline});
//   for (int i = 0; i < 300; ++i) Print(text.Next());
#ifndef LEMMA_MODELS_GPT_GENERATE_H_
#define LEMMA_MODELS_GPT_GENERATE_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "models/gpt/decode.h"
#include "models/gpt/gpt.h"

namespace lemma::models {

// What the model sees once the text is longer than its context. Positions are learned, so a window
// that moves changes every key and value, and no cache survives it.
enum class Window {
  kCrop,  // the last T tokens, computed anew for each token: the course's rule
  kHalf,  // on overflow the last T/2 tokens go into a fresh cache: faster, another text
};

struct SamplingOptions {
  double temperature = 1;  // logits are divided by it; 0 takes the most likely token, the first
  int64_t top_k = 0;       // only the k most likely tokens; 0: all
  double top_p = 1;        // only the fewest tokens that have this probability together
  Window window = Window::kCrop;
};

// A token drawn from softmax(logits / temperature) within top_k and top_p, as torch.multinomial
// draws it. logits has V values; one that is not finite is an Error. With temperature 0 nothing is
// drawn.
int64_t SampleToken(absl::Span<const float> logits, const SamplingOptions& options,
                    Generator& generator);

// The state of one text. Up to the context, keys and values are cached. The model and the
// generator, which may be null with temperature 0, must outlive it; the model should be in Eval().
class GptGenerator {
 public:
  GptGenerator(Gpt& model, const SamplingOptions& options, Generator* generator);

  // Puts tokens at the end of the text, such as a prompt.
  void Append(absl::Span<const int64_t> tokens);
  // The logits (V) of the next token, given the text so far, which must not be empty.
  Tensor NextLogits();
  // Draws the next token, appends it and returns it.
  int64_t Next();

  const std::vector<int64_t>& tokens() const { return tokens_; }

 private:
  Tensor CroppedLogits();
  Tensor CachedLogits();
  Tensor LogitsOf(absl::Span<const int64_t> window, GptCache* cache);

  Gpt& model_;
  const SamplingOptions options_;
  Generator* const generator_;
  GptDecoder decoder_;
  GptCache cache_;
  size_t cached_end_ = 0;  // tokens_[.., cached_end_) end in the cache
  std::vector<int64_t> tokens_;
  Tensor logits_;  // (V), after tokens_, where they have been computed
};

}  // namespace lemma::models

#endif  // LEMMA_MODELS_GPT_GENERATE_H_
