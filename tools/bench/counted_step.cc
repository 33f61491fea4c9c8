// One training step of course-b1 on one thread, for callgrind to count (instructions.h).

#include <cstdio>
#include <memory>

#include "autograd/threads.h"
#include "tools/bench/batch_file.h"
#include "tools/bench/batches.h"
#include "tools/bench/training_job.h"
#include "tools/bench/workload.h"

// Callgrind finds it by this name.
extern "C" __attribute__((noinline)) double LemmaCountedStep(
    lemma::tools::bench::TrainingJob& job) {
  return job.Step();
}

int main() {
  using namespace lemma::tools::bench;
  lemma::SetNumThreads(1);
  const Workload& workload = *FindWorkload("course-b1");
  const BenchText text = {.tokens = ZipfTokens(workload.model.vocab, 10000)};
  TrainingJob job(workload.model, *MakeBatches(workload, text));
  job.Step();  // makes what is made once
  std::printf("loss %.4f\n", LemmaCountedStep(job));
  return 0;
}
