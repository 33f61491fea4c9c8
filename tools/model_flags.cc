#include "tools/model_flags.h"

#include <cstdint>
#include <string>

#include "absl/flags/flag.h"

ABSL_FLAG(std::string, preset, "course", "course, nanogpt-cpu, nanogpt-gpu or gpt2");
ABSL_FLAG(int64_t, vocab, 65, "vocabulary V; train takes it from the data");
ABSL_FLAG(int64_t, context, 64, "context T, in tokens");
ABSL_FLAG(int64_t, width, 128, "width C of the residual stream");
ABSL_FLAG(int64_t, heads, 4, "heads H of each attention; they divide the width");
ABSL_FLAG(int64_t, layers, 4, "blocks L");
ABSL_FLAG(bool, tied_head, false, "unembed with the token embedding");
ABSL_FLAG(bool, head_bias, false, "give the unembedding a bias");
ABSL_FLAG(bool, qkv_bias, false, "give queries, keys and values a bias");
ABSL_FLAG(bool, bias, true, "give the projections and the MLPs biases");
ABSL_FLAG(bool, norm_bias, true, "give the LayerNorms biases");
ABSL_FLAG(bool, gelu_tanh, false, "use the tanh form of GELU");
ABSL_FLAG(double, dropout, 0, "dropout of embeddings, attention weights and residual branches");
ABSL_FLAG(std::string, init, "course", "initial values: course or gpt2");

namespace lemma::tools {
namespace {

constexpr const char* kNames[] = {"preset",    "vocab",     "context",   "width",    "heads",
                                  "layers",    "tied_head", "head_bias", "qkv_bias", "bias",
                                  "norm_bias", "gelu_tanh", "dropout",   "init"};

template <typename T>
void Override(const absl::Flag<T>& flag, T& field) {
  if (IsGiven(flag)) field = absl::GetFlag(flag);
}

}  // namespace

FlagGroup ModelFlagGroup() {
  return {"Model (defaults are those of the preset)", {std::begin(kNames), std::end(kNames)}};
}

absl::StatusOr<models::GptConfig> WithModelFlags(models::GptConfig config) {
  Override(FLAGS_vocab, config.vocab);
  Override(FLAGS_context, config.context);
  Override(FLAGS_width, config.width);
  Override(FLAGS_heads, config.heads);
  Override(FLAGS_layers, config.layers);
  Override(FLAGS_tied_head, config.tied_head);
  Override(FLAGS_head_bias, config.head_bias);
  Override(FLAGS_qkv_bias, config.qkv_bias);
  Override(FLAGS_bias, config.bias);
  Override(FLAGS_norm_bias, config.norm_bias);
  Override(FLAGS_gelu_tanh, config.gelu_tanh);
  Override(FLAGS_dropout, config.dropout);
  if (IsGiven(FLAGS_init)) {
    const std::string init = absl::GetFlag(FLAGS_init);
    if (init != "course" && init != "gpt2") {
      return absl::InvalidArgumentError(UnknownValueText("init", init, {"course", "gpt2"}));
    }
    config.init = init == "gpt2" ? models::GptInit::kGpt2 : models::GptInit::kCourse;
  }
  if (absl::Status valid = config.Validate(); !valid.ok()) return valid;
  return config;
}

absl::StatusOr<models::GptConfig> ModelConfigFromFlags() {
  const std::string preset = absl::GetFlag(FLAGS_preset);
  absl::StatusOr<models::GptConfig> config = models::GptConfig::Preset(preset);
  if (!config.ok()) {
    return absl::InvalidArgumentError(
        UnknownValueText("preset", preset, models::GptConfig::PresetNames()));
  }
  return WithModelFlags(*config);
}

bool AnyModelFlagGiven() {
  for (const char* name : kNames) {
    if (IsGiven(name)) return true;
  }
  return false;
}

}  // namespace lemma::tools
