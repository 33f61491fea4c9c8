// The sizes and choices that make a GPT, with named presets.
#ifndef LEMMA_MODELS_GPT_CONFIG_H_
#define LEMMA_MODELS_GPT_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "autograd/dtype.h"

namespace lemma::models {

// How initial values are drawn.
enum class GptInit {
  // Each layer by its own default (uniform +-1/sqrt(in); embeddings standard normal), then the
  // projections into the residual stream anew: normal with std 0.02 / sqrt(2L).
  kCourse,
  // Every matrix normal with std 0.02, those projections with 0.02 / sqrt(2L), biases 0. Radford et
  // al. (2019), section 2.3.
  kGpt2,
};

struct GptConfig {
  int64_t vocab = 65;      // V
  int64_t context = 64;    // T: positions that have an embedding
  int64_t width = 128;     // C
  int64_t heads = 4;       // H
  int64_t layers = 4;      // L
  bool tied_head = false;  // the unembedding is the token embedding
  bool head_bias = false;  // of the unembedding
  bool qkv_bias = false;   // of queries, keys and values
  bool bias = true;        // of the projection and of both matrices of the MLP
  bool norm_bias = true;   // of LayerNorm
  bool gelu_tanh = false;  // the tanh form of GELU instead of the exact one
  double dropout = 0;      // of the embedding, attention weights and both residual branches
  GptInit init = GptInit::kCourse;
  // kBFloat16: the operands of all matrix products but attention's, and the results but for the
  // logits, are rounded to it, for speed and memory; parameters and everything else stay float32.
  // How to compute, not what: files do not hold it.
  DType compute_dtype = DType::kFloat32;
  // Backward computes the activations of each block anew instead of keeping them: less memory, more
  // time, the same bits. Not in files either.
  bool recompute = false;

  // "course": the course's GPT; "nanogpt-cpu", "nanogpt-gpu": nanoGPT's recipes for characters;
  // "gpt2": the 124M model. An unknown name is an error that lists them.
  static absl::StatusOr<GptConfig> Preset(absl::string_view name);
  static const std::vector<std::string>& PresetNames();

  // Sizes are positive and not absurd, heads divide the width, dropout is in [0, 1).
  absl::Status Validate() const;

  // One JSON object; FromJson takes back what ToJson wrote and refuses anything else in a sentence.
  std::string ToJson() const;
  static absl::StatusOr<GptConfig> FromJson(absl::string_view json);

  friend bool operator==(const GptConfig&, const GptConfig&) = default;
};

// The number of parameters by the formula, from the config alone:
//   V C + T C                                    embeddings
//   + L (3 C^2 + C^2 + 8 C^2)                    attention and MLP matrices: the 12 L C^2 rule
//   + L (biases: 3 C if qkv_bias; C + 4 C + C if bias)
//   + (2 L + 1) (C + C if norm_bias)             LayerNorms
//   + V C if not tied_head, + V if head_bias     unembedding
int64_t ParameterFormula(const GptConfig& config);

}  // namespace lemma::models

#endif  // LEMMA_MODELS_GPT_CONFIG_H_
