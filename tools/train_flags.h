// The flags of train.
#ifndef LEMMA_TOOLS_TRAIN_FLAGS_H_
#define LEMMA_TOOLS_TRAIN_FLAGS_H_

#include "absl/status/statusor.h"
#include "tools/flags.h"
#include "tools/train_run.h"

namespace lemma::tools {

Usage TrainUsage();

// What the flags ask for, paths made absolute. Looks at no file but the checkpoint of --resume.
absl::StatusOr<TrainRequest> TrainRequestFromFlags();

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_TRAIN_FLAGS_H_
