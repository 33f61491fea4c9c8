// The state of a training run and its single steps: model, optimizer, generators, data position.
#ifndef LEMMA_TOOLS_TRAINER_H_
#define LEMMA_TOOLS_TRAINER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "autograd/random.h"
#include "datasets/batches.h"
#include "datasets/text_dataset.h"
#include "models/gpt/checkpoint.h"
#include "models/gpt/gpt.h"
#include "nn/optim/adam.h"
#include "nn/optim/schedule.h"
#include "tools/train_config.h"

namespace lemma::tools {

struct StepResult {
  double loss = 0;       // of the step's batches, before the update; nats per token
  double grad_norm = 0;  // before clipping
  double lr = 0;
};

// The mean loss of the whole of `tokens`, in windows of the model's context; nats per token. Draws
// nothing.
double WholeLoss(models::Gpt& model, absl::Span<const int64_t> tokens);

// The seed `s` of the config starts four generators of their own: s initial values, s batches (so
// that they are those that the course draws after manual_seed(s)), s + 1 dropout, s + 2 evaluation.
class Trainer {
 public:
  // `data` must outlive the trainer; its alphabet has config.model.vocab characters.
  static absl::StatusOr<std::unique_ptr<Trainer>> Create(const TrainConfig& config,
                                                         const datasets::TextDataset& data);

  int64_t step() const { return step_; }  // steps done
  const TrainConfig& config() const { return config_; }
  models::Gpt& model() { return *model_; }
  int64_t tokens_per_step() const;
  bool ParametersAreFinite() const;

  StepResult Step();
  // The same, but asks `stop` between the passes of a step of several. Where it says yes, the
  // passes that were made are dropped, all is as it was before the step, and there is no result.
  std::optional<StepResult> StepUnless(absl::FunctionRef<bool()> stop);
  // The mean loss over eval_batches random batches of the validation part.
  double Evaluate();

  // Everything that a resume needs, readable as a model too.
  nn::Checkpoint MakeCheckpoint() const;
  // Continues where the checkpoint was made, to the same bits. An error changes nothing that
  // counts: drop the trainer then.
  absl::Status Restore(const models::GptCheckpoint& checkpoint);
  // Takes the parameters and nothing else.
  absl::Status LoadWeights(const models::GptCheckpoint& checkpoint);

 private:
  Trainer(const TrainConfig& config, const datasets::TextDataset& data,
          datasets::BatchSampler train, datasets::BatchSampler val);

  // What the passes of a step move on before its update: data position and dropout.
  struct Position {
    datasets::BatchSampler train;
    datasets::Batch batch;
    Generator dropout_generator;
  };

  double ForwardBackward();

  const TrainConfig config_;
  const datasets::TextDataset& data_;
  Generator dropout_generator_;
  std::unique_ptr<models::Gpt> model_;
  std::unique_ptr<optim::AdamW> optimizer_;
  optim::Schedule schedule_;
  datasets::BatchSampler train_;
  datasets::BatchSampler val_;
  datasets::Batch batch_;
  int64_t step_ = 0;
};

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_TRAINER_H_
