#include "tools/bench/training_job.h"

#include <utility>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "nn/module.h"
#include "nn/optim/clip.h"
#include "nn/optim/optimizer.h"
#include "tools/bench/batch_file.h"
#include "tools/bench/clock.h"

namespace lemma::tools::bench {
namespace {

constexpr uint64_t kSeed = 1337;
constexpr double kMaxNorm = 1.0;
constexpr optim::AdamWOptions kAdamW = {
    .lr = 3e-4, .beta1 = 0.9, .beta2 = 0.99, .weight_decay = 0.1};

// Matrices and embeddings decay, vectors do not, as in training.
std::vector<optim::ParameterGroup> DecayGroups(const models::Gpt& model) {
  optim::ParameterGroup matrices, vectors{.weight_decay = 0};
  for (nn::NamedTensor& named : model.NamedParameters()) {
    (named.value.rank() >= 2 ? matrices : vectors).parameters.push_back(std::move(named));
  }
  return {std::move(matrices), std::move(vectors)};
}

}  // namespace

TrainingJob::TrainingJob(const models::GptConfig& model, std::vector<datasets::Batch> batches)
    : generator_(kSeed),
      model_(model, generator_),
      optimizer_(DecayGroups(model_), kAdamW),
      batches_(std::move(batches)) {}

double TrainingJob::Step() {
  const datasets::Batch& batch = batches_[next_batch_];
  next_batch_ = (next_batch_ + 1) % batches_.size();
  const Shape shape{batch.rows, batch.length};
  optimizer_.ZeroGrad();
  const Tensor loss =
      model_.Loss(FromVector(batch.inputs, shape), FromVector(batch.targets, shape));
  Backward(loss);
  const double norm = optim::GradNorm(optimizer_.Parameters());
  optimizer_.Step(optim::ClipFactor(norm, kMaxNorm));
  return loss.Item();
}

JobTimes TrainingJob::Run(int64_t units) {
  JobTimes times;
  for (int64_t i = 0; i < units; ++i) {
    const double start = NowSeconds();
    times.loss = Step();
    times.unit_ms.push_back(1e3 * (NowSeconds() - start));
  }
  return times;
}

int64_t TrainingJob::parameters() const {
  int64_t count = 0;
  for (const nn::NamedTensor& named : model_.NamedParameters()) count += named.value.numel();
  return count;
}

absl::StatusOr<std::unique_ptr<Job>> MakeTrainingJob(const Task& task) {
  absl::StatusOr<std::vector<datasets::Batch>> batches =
      ReadBatches(task.batches, task.workload.batch, task.workload.model.context);
  if (!batches.ok()) return batches.status();
  return std::make_unique<TrainingJob>(task.workload.model, *std::move(batches));
}

}  // namespace lemma::tools::bench
