// State dicts: the parameters and buffers of a module by name.
//
//   absl::Status saved = SaveCheckpoint("net.safetensors", {.tensors = StateDict(net)});
//   absl::StatusOr<Checkpoint> loaded = LoadCheckpoint("net.safetensors");
//   if (absl::Status fits = LoadStateDict(net, loaded->tensors); !fits.ok()) ...
#ifndef LEMMA_NN_STATE_DICT_H_
#define LEMMA_NN_STATE_DICT_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "nn/module.h"

namespace lemma::nn {

// Parameters, then buffers. The tensors share the module's memory.
std::vector<NamedTensor> StateDict(const Module& module);

// Copies `state` into the module's parameters and buffers, converted to their dtype. A parameter
// may come under its own name or as its row views, all of them ("attn.qkv.weight" or
// "attn.heads.0.key.weight",
// ...). Missing, unexpected, repeated and misshaped names are reported all at once, and then
// nothing has changed.
absl::Status LoadStateDict(Module& module, const std::vector<NamedTensor>& state);

}  // namespace lemma::nn

#endif  // LEMMA_NN_STATE_DICT_H_
