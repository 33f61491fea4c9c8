// The flags that describe a GPT, shared by train, sample and count: --preset and an override for
// each field of its config.
#ifndef LEMMA_TOOLS_MODEL_FLAGS_H_
#define LEMMA_TOOLS_MODEL_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "models/gpt/config.h"
#include "tools/flags.h"

ABSL_DECLARE_FLAG(std::string, preset);

namespace lemma::tools {

// For --help.
FlagGroup ModelFlagGroup();

// `config` with the fields whose flags were given; --preset is not looked at. An error says which
// sizes can't be.
absl::StatusOr<models::GptConfig> WithModelFlags(models::GptConfig config);

// The config of --preset with the overrides.
absl::StatusOr<models::GptConfig> ModelConfigFromFlags();

// Whether --preset or any override was given.
bool AnyModelFlagGiven();

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_MODEL_FLAGS_H_
