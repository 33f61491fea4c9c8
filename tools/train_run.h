// A whole training run: data, steps, checkpoints, and what is left in the run's folder.
#ifndef LEMMA_TOOLS_TRAIN_RUN_H_
#define LEMMA_TOOLS_TRAIN_RUN_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "datasets/load.h"
#include "models/gpt/checkpoint.h"
#include "tools/folder_lock.h"
#include "tools/train_config.h"

namespace lemma::tools {

struct TrainRequest {
  std::string preset;  // names the folder of the run
  TrainConfig config = {};
  bool vocab_given = false;  // else the vocabulary is that of the data
  datasets::DatasetRequest data = {};
  std::string out;       // folder of the run; empty: the next free runs/PRESET-N
  bool resumed = false;  // `checkpoint` is where the run in `out` goes on
  // Of `out` if resumed, taken before its checkpoint was read.
  std::optional<FolderLock> lock = std::nullopt;
  // Where the run starts from: all of its state if resumed, else its weights.
  std::optional<models::GptCheckpoint> checkpoint = std::nullopt;
  std::string checkpoint_path = "";
  int64_t threads = 0;  // 0: the default
};

// DIR/checkpoint.safetensors.
std::string CheckpointPath(const std::string& out);

// Trains, and leaves in the folder: checkpoint.safetensors, metrics.jsonl, loss.svg, sample.txt.
// Tells what it does on standard output. Ctrl-C ends it after the step, saved; a step of several
// passes it ends after the pass, saved as of the step before. An error before the first step leaves
// nothing behind. While it runs it holds the folder's lock, and no other run gets the folder.
absl::Status RunTraining(const TrainRequest& request);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_TRAIN_RUN_H_
