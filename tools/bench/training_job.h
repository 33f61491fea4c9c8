// Whole training steps: forward, backward, clipping by the global norm, AdamW.
#ifndef LEMMA_TOOLS_BENCH_TRAINING_JOB_H_
#define LEMMA_TOOLS_BENCH_TRAINING_JOB_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "autograd/random.h"
#include "datasets/batches.h"
#include "models/gpt/gpt.h"
#include "nn/optim/adam.h"
#include "tools/bench/job.h"
#include "tools/bench/task.h"

namespace lemma::tools::bench {

class TrainingJob : public Job {
 public:
  // `batches` are trained on in turn, over and over; there is at least one.
  TrainingJob(const models::GptConfig& model, std::vector<datasets::Batch> batches);

  JobTimes Run(int64_t units) override;
  int64_t parameters() const override;

  // One step; the loss before it, in nats per token.
  double Step();

 private:
  Generator generator_;
  models::Gpt model_;
  optim::AdamW optimizer_;
  std::vector<datasets::Batch> batches_;
  size_t next_batch_ = 0;
};

// Reads the task's file of batches.
absl::StatusOr<std::unique_ptr<Job>> MakeTrainingJob(const Task& task);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_TRAINING_JOB_H_
