#include "tools/train_flags.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "datasets/tiny_shakespeare.h"
#include "models/gpt/checkpoint.h"
#include "tools/data_flags.h"
#include "tools/folder_lock.h"
#include "tools/model_flags.h"
#include "tools/paths.h"

ABSL_FLAG(int64_t, steps, 2000, "optimizer steps in all, those of a resumed run included");
ABSL_FLAG(int64_t, decay_steps, 0, "the learning rate reaches --min_lr here; 0: at --steps");
ABSL_FLAG(int64_t, batch_size, 12, "sequences B in one pass");
ABSL_FLAG(int64_t, accumulate, 1, "passes whose gradients make one step");
ABSL_FLAG(double, lr, 1e-3, "largest learning rate");
ABSL_FLAG(double, min_lr, 1e-4, "learning rate at the end of its cosine, at most --lr");
ABSL_FLAG(int64_t, warmup, 100, "steps in which the learning rate rises");
ABSL_FLAG(double, weight_decay, 0.1, "AdamW's, of matrices only");
ABSL_FLAG(double, beta1, 0.9, "AdamW's");
ABSL_FLAG(double, beta2, 0.99, "AdamW's");
ABSL_FLAG(double, clip, 1.0, "largest norm of all gradients together; 0: no clipping");
ABSL_FLAG(int64_t, seed, 1337, "of initial values, batches, dropout, evaluation and sample");
ABSL_FLAG(int64_t, threads, 0, "0: all physical cores, or OMP_NUM_THREADS");
ABSL_FLAG(int64_t, eval_every, 250, "steps between looks at the validation part; 0: none");
ABSL_FLAG(int64_t, eval_batches, 20, "random batches of such a look");
ABSL_FLAG(int64_t, checkpoint_every, 500, "steps between checkpoints; 0: at the end only");
ABSL_FLAG(std::string, out, "", "folder of the run (default: runs/PRESET-N)");
ABSL_FLAG(std::string, resume, "", "folder of a run to go on with");
ABSL_FLAG(std::string, init_from, "", "checkpoint file whose weights to start from");
ABSL_FLAG(std::string, precision, "f32",
          "f32, or bf16: matrix products rounded to bfloat16, for speed and memory");
ABSL_FLAG(bool, recompute, false,
          "compute activations again in backward: less memory, more time, the same bits");
ABSL_FLAG(bool, overfit_one_batch, false,
          "train on the first batch only, to check the plumbing; --warmup is then 0 by default");

namespace lemma::tools {
namespace {

template <typename T>
void Override(const absl::Flag<T>& flag, T& field) {
  if (IsGiven(flag)) field = absl::GetFlag(flag);
}

void OverrideAll(TrainConfig& config) {
  Override(FLAGS_steps, config.steps);
  Override(FLAGS_decay_steps, config.decay_steps);
  Override(FLAGS_batch_size, config.batch_size);
  Override(FLAGS_accumulate, config.accumulate);
  Override(FLAGS_lr, config.lr);
  if (!IsGiven(FLAGS_min_lr)) config.min_lr = std::min(config.min_lr, config.lr);
  Override(FLAGS_min_lr, config.min_lr);
  if (IsGiven(FLAGS_overfit_one_batch) && absl::GetFlag(FLAGS_overfit_one_batch)) config.warmup = 0;
  Override(FLAGS_warmup, config.warmup);
  Override(FLAGS_weight_decay, config.weight_decay);
  Override(FLAGS_beta1, config.beta1);
  Override(FLAGS_beta2, config.beta2);
  Override(FLAGS_clip, config.clip);
  Override(FLAGS_seed, config.seed);
  Override(FLAGS_eval_every, config.eval_every);
  Override(FLAGS_eval_batches, config.eval_batches);
  Override(FLAGS_checkpoint_every, config.checkpoint_every);
  Override(FLAGS_overfit_one_batch, config.overfit_one_batch);
}

// `base` with every flag that was given.
absl::StatusOr<TrainConfig> WithFlags(TrainConfig base) {
  absl::StatusOr<models::GptConfig> model = WithModelFlags(base.model);
  if (!model.ok()) return model.status();
  base.model = *model;
  base.model.recompute = absl::GetFlag(FLAGS_recompute);
  OverrideAll(base);
  if (IsGiven(FLAGS_precision)) {
    const std::string precision = absl::GetFlag(FLAGS_precision);
    if (precision != "f32" && precision != "bf16") {
      return absl::InvalidArgumentError(UnknownValueText("precision", precision, {"f32", "bf16"}));
    }
    base.bf16 = precision == "bf16";
  }
  if (absl::Status valid = base.Validate(); !valid.ok()) return valid;
  return base;
}

absl::StatusOr<TrainConfig> PresetConfig() {
  const std::string preset = absl::GetFlag(FLAGS_preset);
  absl::StatusOr<TrainConfig> config = TrainConfig::Preset(preset);
  if (!config.ok()) {
    return absl::InvalidArgumentError(
        UnknownValueText("preset", preset, models::GptConfig::PresetNames()));
  }
  return config;
}

// Whether --resume names a folder, and not the checkpoint in it or nothing at all.
absl::Status CheckRunFolder(const std::string& path) {
  std::error_code unreadable;  // then there is no such folder
  if (std::filesystem::is_directory(path, unreadable)) return absl::OkStatus();
  const std::string shown = DisplayPath(path);
  if (!std::filesystem::exists(path, unreadable)) {
    return absl::NotFoundError(absl::StrCat("--resume=", shown,
                                            ": there is no such folder; name that of a run, which "
                                            "train tells when it begins and ends"));
  }
  const std::filesystem::path parent = std::filesystem::path(shown).parent_path();
  return absl::InvalidArgumentError(
      absl::StrCat("--resume takes the folder of a run, and ", shown,
                   " is a file; pass --resume=", parent.empty() ? "." : parent.string(),
                   ", or start from its weights with --init_from=", shown));
}

// The config of the run in `request.resume`, of which flags may change --steps alone.
absl::Status ReadResumedRun(TrainRequest& request) {
  for (const char* flag : {"out", "init_from"}) {
    if (IsGiven(flag)) {
      return absl::InvalidArgumentError(
          absl::StrCat("--resume goes on in its own folder; --", flag, " can't be given with it"));
    }
  }
  if (absl::Status folder = CheckRunFolder(request.out); !folder.ok()) return folder;
  request.checkpoint_path = CheckpointPath(request.out);
  absl::StatusOr<FolderLock> lock = FolderLock::Take(request.out);
  if (!lock.ok()) return lock.status();
  request.lock = *std::move(lock);
  absl::StatusOr<models::GptCheckpoint> checkpoint =
      models::LoadGptCheckpoint(request.checkpoint_path);
  if (!checkpoint.ok()) return checkpoint.status();
  auto training = checkpoint->contents.metadata.find("training");
  if (training == checkpoint->contents.metadata.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat(DisplayPath(request.checkpoint_path),
                     ": it has weights and no state of a training run; start a new run from its "
                     "weights with --init_from"));
  }
  absl::StatusOr<TrainConfig> before = TrainConfig::FromJson(training->second);
  if (!before.ok()) return before.status();
  absl::StatusOr<TrainConfig> base = IsGiven(FLAGS_preset) ? PresetConfig() : before;
  if (!base.ok()) return base.status();
  if (!IsGiven(FLAGS_steps)) base->steps = before->steps;
  if (!IsGiven("vocab")) base->model.vocab = before->model.vocab;
  if (!IsGiven(FLAGS_decay_steps)) base->decay_steps = before->decay_steps;
  absl::StatusOr<TrainConfig> now = WithFlags(*base);
  if (!now.ok()) return now.status();
  const std::vector<std::string> differences = before->Differences(*now);
  if (!differences.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("a resumed run may change --steps only, but ",
                                                   absl::StrJoin(differences, ", ")));
  }
  request.config = *now;
  const auto dataset = checkpoint->contents.metadata.find("dataset");
  if (dataset != checkpoint->contents.metadata.end()) {
    if (!request.data.name.empty() && request.data.name != dataset->second) {
      return absl::InvalidArgumentError(
          absl::StrCat("the run to resume was trained on --dataset=", dataset->second, ", not on ",
                       request.data.name));
    }
    request.data.name = dataset->second;
  }
  request.checkpoint = *std::move(checkpoint);
  return absl::OkStatus();
}

}  // namespace

Usage TrainUsage() {
  return {.program = "train",
          .summary =
              "Trains a GPT on the characters of a text and prints a sample of what it "
              "writes.\n"
              "The run's folder gets checkpoint.safetensors, metrics.jsonl, loss.svg and "
              "sample.txt.\n"
              "Ctrl-C finishes the step, saves, and says how to resume.",
          .groups = {ModelFlagGroup(),
                     DataFlagGroup(),
                     {"Training (defaults are those of the preset)",
                      {"steps", "decay_steps", "batch_size", "accumulate", "lr", "min_lr", "warmup",
                       "weight_decay", "beta1", "beta2", "clip", "precision", "seed",
                       "overfit_one_batch"}},
                     {"Run",
                      {"out", "resume", "init_from", "threads", "recompute", "eval_every",
                       "eval_batches", "checkpoint_every"}}}};
}

absl::StatusOr<TrainRequest> TrainRequestFromFlags() {
  TrainRequest request;
  RequireNotEmpty(FLAGS_resume, "the folder of a run");
  RequireNotEmpty(FLAGS_out, "a folder for the run");
  RequireNotEmpty(FLAGS_init_from, "the file of a checkpoint");
  request.preset = absl::GetFlag(FLAGS_preset);
  request.threads = absl::GetFlag(FLAGS_threads);
  if (request.threads < 0 || request.threads > 4096) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threads must be from 0 to 4096, not ", request.threads));
  }
  request.data = DataRequestFromFlags();
  request.resumed = IsGiven(FLAGS_resume);
  if (request.resumed) {
    request.out = ResolvePath(absl::GetFlag(FLAGS_resume));
    if (absl::Status read = ReadResumedRun(request); !read.ok()) return read;
    return request;
  }
  request.out = ResolvePath(absl::GetFlag(FLAGS_out));
  absl::StatusOr<TrainConfig> base = PresetConfig();
  if (!base.ok()) return base.status();
  if (IsGiven(FLAGS_init_from)) {
    request.checkpoint_path = ResolvePath(absl::GetFlag(FLAGS_init_from));
    absl::StatusOr<models::GptCheckpoint> checkpoint =
        models::LoadGptCheckpoint(request.checkpoint_path);
    if (!checkpoint.ok()) return checkpoint.status();
    base->model = checkpoint->config;
    request.checkpoint = *std::move(checkpoint);
  }
  absl::StatusOr<TrainConfig> config = WithFlags(*base);
  if (!config.ok()) return config.status();
  request.config = *config;
  request.vocab_given = IsGiven("vocab");
  return request;
}

}  // namespace lemma::tools
