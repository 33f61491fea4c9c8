#include "tools/bench/sampling_job.h"

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "autograd/random.h"
#include "models/gpt/generate.h"
#include "models/gpt/gpt.h"
#include "nn/module.h"
#include "tools/bench/clock.h"

namespace lemma::tools::bench {
namespace {

constexpr uint64_t kSeed = 1337;

class SamplingJob : public Job {
 public:
  explicit SamplingJob(const Task& task)
      : past_(task.workload.kind == WorkloadKind::kSamplePast),
        generator_(kSeed),
        model_(task.workload.model, generator_) {
    model_.Eval();
  }

  JobTimes Run(int64_t units) override {
    JobTimes times;
    models::GptGenerator past(model_, {}, &generator_);
    if (past_) {
      const std::vector<int64_t> prompt(static_cast<size_t>(model_.config().context) + 1, 0);
      past.Append(prompt);
    }
    for (int64_t i = 0; i < units; ++i) {
      const double start = NowSeconds();
      if (past_) {
        past.Next();
      } else {
        WriteWindow();
      }
      times.unit_ms.push_back(1e3 * (NowSeconds() - start));
    }
    return times;
  }

  int64_t parameters() const override {
    int64_t count = 0;
    for (const nn::NamedTensor& named : model_.NamedParameters()) count += named.value.numel();
    return count;
  }

 private:
  void WriteWindow() {
    const int64_t first = 0;
    models::GptGenerator text(model_, {}, &generator_);
    text.Append(absl::MakeConstSpan(&first, 1));
    for (int64_t i = 0; i < model_.config().context; ++i) text.Next();
  }

  const bool past_;
  Generator generator_;
  models::Gpt model_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Job>> MakeSamplingJob(const Task& task) {
  return std::make_unique<SamplingJob>(task);
}

}  // namespace lemma::tools::bench
