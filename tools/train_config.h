// What a training run does: everything that its result depends on, but the data.
#ifndef LEMMA_TOOLS_TRAIN_CONFIG_H_
#define LEMMA_TOOLS_TRAIN_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "models/gpt/config.h"

namespace lemma::tools {

struct TrainConfig {
  models::GptConfig model = {};
  int64_t steps = 2000;
  int64_t decay_steps = 0;  // the learning rate reaches min_lr here; 0: at `steps`
  int64_t batch_size = 12;  // B, of one pass
  int64_t accumulate = 1;   // passes whose gradients make one step
  double lr = 1e-3;
  double min_lr = 1e-4;
  int64_t warmup = 100;       // steps
  double weight_decay = 0.1;  // of matrices; biases and LayerNorms have none
  double beta1 = 0.9;
  double beta2 = 0.99;
  double clip = 1.0;  // norm of all gradients together; 0: no clipping
  int64_t seed = 1337;
  int64_t eval_every = 250;  // steps; 0: never
  int64_t eval_batches = 20;
  int64_t checkpoint_every = 500;  // steps; 0: at the end only
  bool bf16 = false;               // products rounded to bfloat16; else float32
  bool overfit_one_batch = false;  // every step sees the first batch

  // The recipe of a preset of models/gpt: for the nanogpt ones the published, for "course" that of
  // nanogpt-cpu on the course's model.
  static absl::StatusOr<TrainConfig> Preset(absl::string_view name);

  absl::Status Validate() const;

  std::string ToJson() const;
  static absl::StatusOr<TrainConfig> FromJson(absl::string_view json);

  // "lr is 0.001 in the run and 0.01 now" for each value other than `steps` that differs.
  std::vector<std::string> Differences(const TrainConfig& now) const;
};

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_TRAIN_CONFIG_H_
