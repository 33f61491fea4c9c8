// Trains a GPT on characters and prints a sample of what it writes.
//
//   bazel run //tools:train
//   bazel run //tools:train -- --preset=nanogpt-cpu --dataset=tinyshakespeare --steps=2000
//   bazel run //tools:train -- --dataset=text:poems.txt --out=runs/poems
//   bazel run //tools:train -- --resume=runs/poems --steps=4000

#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/flags/flag.h"
#include "tools/flags.h"
#include "tools/train_flags.h"
#include "tools/train_run.h"

int main(int argc, char** argv) {
  using namespace lemma::tools;
  ParseFlags(argc, argv, TrainUsage());
  const absl::StatusOr<TrainRequest> request = TrainRequestFromFlags();
  if (!request.ok()) Die(request.status());
  return RunMain([&] { return ExitStatus(RunTraining(*request)); });
}
