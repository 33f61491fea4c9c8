#include "tools/train_run.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/dtype.h"
#include "autograd/ops/mixed_linear.h"
#include "autograd/threads.h"
#include "datasets/text_dataset.h"
#include "models/gpt/config.h"
#include "models/gpt/generate.h"
#include "nn/atomic_file.h"
#include "nn/checkpoint.h"
#include "tools/figures/loss_chart.h"
#include "tools/folder_lock.h"
#include "tools/format.h"
#include "tools/interrupt.h"
#include "tools/memory.h"
#include "tools/metrics.h"
#include "tools/paths.h"
#include "tools/plot.h"
#include "tools/progress.h"
#include "tools/status_line.h"
#include "tools/trainer.h"

namespace lemma::tools {
namespace {

constexpr int64_t kSampleTokens = 500;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Refuses what certainly does not fit: a parameter takes 16 bytes with its gradient and moments,
// and a token's activations 10 C numbers a block at the least, or C with recomputation.
absl::Status CheckMemory(const TrainConfig& config) {
  const models::GptConfig& model = config.model;
  const double tokens = static_cast<double>(config.batch_size) * static_cast<double>(model.context);
  const double kept = static_cast<double>(model.width * model.layers) * (model.recompute ? 1 : 10);
  const double bytes =
      16.0 * static_cast<double>(models::ParameterFormula(model)) + 4 * tokens * kept;
  const double has = static_cast<double>(PhysicalBytes());
  if (has == 0 || bytes < has) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrFormat("a step of --batch_size=%d needs at least %.0f GiB of memory, and this "
                      "machine has %.0f; use a "
                      "smaller --batch_size, with --accumulate for the rest%s",
                      config.batch_size, bytes / (1 << 30), has / (1 << 30),
                      model.recompute ? "" : ", or --recompute"));
}

// One run, from its data to its last line.
class Run {
 public:
  explicit Run(const TrainRequest& request)
      : request_(request), config_(request.config), line_(StatusLineOptions::ForStdout()) {}

  absl::Status Go();

 private:
  absl::Status LoadData();
  absl::Status MakeTrainer();
  absl::Status MakeFolder();
  absl::Status Lock();
  void Introduce();
  absl::Status Train();
  absl::Status AfterStep(const StepResult& result, Progress& progress);
  absl::Status Save();
  absl::Status Finish();
  absl::Status Draw();
  absl::StatusOr<std::string> Sample();

  std::string File(const char* name) const { return absl::StrCat(out_, "/", name); }
  bool interrupted() const { return interrupt_.requested(); }

  const TrainRequest& request_;
  TrainConfig config_;
  StatusLine line_;
  InterruptScope interrupt_;
  std::string out_;
  std::optional<FolderLock> lock_;
  std::optional<datasets::TextDataset> data_;
  std::unique_ptr<Trainer> trainer_;
  std::optional<MetricsWriter> metrics_;
};

absl::Status Run::Go() {
  if (request_.threads > 0) SetNumThreads(static_cast<int>(request_.threads));
  for (const auto step : {&Run::LoadData, &Run::MakeTrainer, &Run::MakeFolder}) {
    if (absl::Status status = (this->*step)(); !status.ok()) return status;
  }
  Introduce();
  if (absl::Status status = Train(); !status.ok()) return status;
  return Finish();
}

absl::Status Run::LoadData() {
  datasets::DatasetRequest request = request_.data;
  request.context = config_.model.context;
  if (request_.checkpoint.has_value() && !request_.checkpoint->alphabet.empty()) {
    absl::StatusOr<datasets::CharTokenizer> tokenizer =
        datasets::CharTokenizer::FromAlphabet(request_.checkpoint->alphabet);
    if (!tokenizer.ok()) return tokenizer.status();
    request.tokenizer = *std::move(tokenizer);
  }
  request.announce = [&](const std::string& sentence) { line_.Print(sentence); };
  request.progress = [&](int64_t done, int64_t total) {
    line_.Show(absl::StrCat("downloaded ", FormatBytes(done),
                            total > 0 ? absl::StrCat(" of ", FormatBytes(total)) : ""));
  };
  absl::StatusOr<datasets::TextDataset> data = datasets::Load(request);
  if (!data.ok()) return data.status();
  data_ = *std::move(data);
  if (!data_->note.empty()) line_.Print(data_->note);
  return absl::OkStatus();
}

absl::Status Run::MakeTrainer() {
  if (!request_.vocab_given && !request_.checkpoint.has_value()) {
    config_.model.vocab = data_->tokenizer.size();
  }
  if (config_.bf16 && HasFastBFloat16()) {
    config_.model.compute_dtype = DType::kBFloat16;
  } else if (config_.bf16) {
    line_.Print("this processor has no fast products of bfloat16; computing in float32 instead");
  }
  if (absl::Status fits = CheckMemory(config_); !fits.ok()) return fits;
  absl::StatusOr<std::unique_ptr<Trainer>> trainer = Trainer::Create(config_, *data_);
  if (!trainer.ok()) return trainer.status();
  trainer_ = *std::move(trainer);
  if (!request_.checkpoint.has_value()) return absl::OkStatus();
  absl::Status taken = request_.resumed ? trainer_->Restore(*request_.checkpoint)
                                        : trainer_->LoadWeights(*request_.checkpoint);
  if (taken.ok()) taken = models::CheckFinite(*request_.checkpoint);
  if (!taken.ok()) {
    return absl::Status(taken.code(),
                        absl::StrCat(DisplayPath(request_.checkpoint_path), ": ", taken.message()));
  }
  if (!request_.resumed) return absl::OkStatus();
  if (trainer_->step() >= config_.steps) {
    return absl::InvalidArgumentError(absl::StrCat("the run has done ", trainer_->step(), " of ",
                                                   config_.steps,
                                                   " steps; pass a larger --steps to go on"));
  }
  return absl::OkStatus();
}

absl::Status Run::Lock() {
  absl::StatusOr<FolderLock> lock = FolderLock::Take(out_);
  if (!lock.ok()) return lock.status();
  lock_ = *std::move(lock);
  return absl::OkStatus();
}

absl::Status Run::MakeFolder() {
  out_ = request_.out;
  if (request_.resumed) {
    if (absl::Status cut = TruncateMetrics(File("metrics.jsonl"), trainer_->step()); !cut.ok()) {
      return cut;
    }
  } else if (out_.empty()) {
    absl::StatusOr<std::string> folder = CreateRunFolder(ResolvePath("runs"), request_.preset);
    if (!folder.ok()) return folder.status();
    out_ = *folder;
    if (absl::Status locked = Lock(); !locked.ok()) return locked;
  } else {
    if (absl::Status made = CreateFolders(out_); !made.ok()) return made;
    if (absl::Status locked = Lock(); !locked.ok()) return locked;
    std::error_code unreadable;  // then opening the metrics says why
    if (std::filesystem::exists(File("checkpoint.safetensors"), unreadable)) {
      return absl::AlreadyExistsError(absl::StrCat(
          DisplayPath(out_), " holds a run already; go on with it by --resume=", DisplayPath(out_),
          ", or choose another --out"));
    }
    if (std::filesystem::exists(File("metrics.jsonl"), unreadable)) {
      return absl::AlreadyExistsError(absl::StrCat(
          DisplayPath(out_),
          " holds the metrics of a run that saved no checkpoint; delete the folder, or "
          "choose another --out"));
    }
  }
  absl::StatusOr<MetricsWriter> metrics = MetricsWriter::Open(File("metrics.jsonl"));
  if (!metrics.ok()) return metrics.status();
  metrics_ = *std::move(metrics);
  return absl::OkStatus();
}

void Run::Introduce() {
  line_.Print(absl::StrCat("data      ", data_->name, ": ",
                           FormatCount(data_->train.size() + data_->val.size()), " characters, ",
                           data_->tokenizer.size(), " different ones"));
  if (data_->entropy.has_value()) {
    line_.Print(absl::StrFormat(
        "          its source has %.4f nats per character: no model can do better on average",
        data_->entropy->rate));
  }
  const models::GptConfig& model = config_.model;
  line_.Print(absl::StrCat("model     GPT, ", FormatCount(trainer_->model().NumParameters()),
                           " parameters: ", model.layers, " layers, ", model.heads,
                           " heads, width ", model.width, ", context ", model.context));
  if (model.tied_head && model.init == models::GptInit::kCourse && !request_.resumed) {
    line_.Print(
        "          its head is the token embedding, which the course's initial values make large:\n"
        "          the first loss will be high; --init=gpt2 starts near log V");
  }
  line_.Print(absl::StrCat("training  ", FormatCount(config_.steps), " steps of ",
                           FormatCount(trainer_->tokens_per_step()), " tokens on ", NumThreads(),
                           NumThreads() == 1 ? " thread" : " threads"));
  line_.Print(absl::StrCat(
      "run       ", DisplayPath(out_),
      request_.resumed ? absl::StrCat(", resumed after step ", FormatCount(trainer_->step()))
                       : ""));
}

absl::Status Run::Train() {
  Progress progress({.first_step = trainer_->step(),
                     .steps = config_.steps,
                     .tokens_per_step = trainer_->tokens_per_step()},
                    &line_, Now);
  while (trainer_->step() < config_.steps && !interrupted()) {
    const std::optional<StepResult> result = trainer_->StepUnless([&] { return interrupted(); });
    if (!result.has_value()) break;
    if (!std::isfinite(result->loss)) {
      line_.Finish();
      return absl::InternalError(
          absl::StrCat("the loss of step ", trainer_->step(), " is ", result->loss,
                       "; the last checkpoint is kept. A smaller --lr or a --clip may help"));
    }
    progress.Update(trainer_->step(), result->loss);
    if (absl::Status status = AfterStep(*result, progress); !status.ok()) return status;
  }
  line_.Finish();
  return absl::OkStatus();
}

absl::Status Run::AfterStep(const StepResult& result, Progress& progress) {
  const int64_t step = trainer_->step();
  const auto is_due = [&](int64_t every) { return every > 0 && step % every == 0; };
  MetricsRecord record{step,
                       {{"loss", result.loss}, {"lr", result.lr}, {"grad_norm", result.grad_norm}}};
  if (const auto speed = progress.report().tokens_per_second) {
    record.values.emplace_back("tokens_per_second", *speed);
  }
  progress.Pause();
  if (is_due(config_.eval_every) && !config_.overfit_one_batch) {
    const double loss = trainer_->Evaluate();
    progress.SetValidationLoss(loss);
    record.values.emplace_back("val_loss", loss);
  }
  if (absl::Status written = metrics_->Append(record); !written.ok()) return written;
  if (is_due(config_.checkpoint_every) && step < config_.steps) {
    // A full disk need not end the run: the checkpoint before this one is whole.
    if (absl::Status saved = Save(); !saved.ok()) {
      line_.Print(absl::StrCat("not saved: ", saved.message()));
    }
  }
  progress.Continue();
  return absl::OkStatus();
}

absl::Status Run::Save() {
  if (!trainer_->ParametersAreFinite()) {
    return absl::InternalError(
        absl::StrCat("a parameter is infinite or NaN after step ", trainer_->step(),
                     "; the last checkpoint is kept. A smaller --lr or a --clip may help"));
  }
  return nn::SaveCheckpoint(CheckpointPath(out_), trainer_->MakeCheckpoint());
}

absl::StatusOr<std::string> Run::Sample() {
  Generator generator(config_.seed + 3);
  trainer_->model().Eval();
  models::GptGenerator text(trainer_->model(), {}, &generator);
  const int64_t start = data_->tokenizer.DefaultStart();
  text.Append(absl::MakeConstSpan(&start, 1));
  for (int64_t i = 0; i < kSampleTokens && !interrupted(); ++i) text.Next();
  return data_->tokenizer.Decode(text.tokens());
}

absl::Status Run::Draw() {
  absl::StatusOr<MetricsFile> metrics = ReadMetrics(File("metrics.jsonl"));
  if (!metrics.ok()) return metrics.status();
  LossCurves curves = LossCurvesOf(metrics->records);
  Chart chart{.title = absl::StrCat(request_.preset, " on ", data_->name),
              .x_label = "step",
              .y_label = "loss (nats per character)",
              .curves = {std::move(curves.training), std::move(curves.validation)},
              .lines = {}};
  if (data_->entropy.has_value()) {
    chart.lines.push_back({"entropy rate of the source", data_->entropy->rate});
  }
  return DrawChart(chart, File("loss.svg"));
}

absl::Status Run::Finish() {
  const bool stopped = interrupted();
  if (absl::Status saved = Save(); !saved.ok()) return saved;
  if (stopped) {
    line_.Print(absl::StrCat("stopped after step ", FormatCount(trainer_->step()),
                             " and saved; to go on: train --resume=", DisplayPath(out_)));
    return absl::OkStatus();
  }
  line_.Show("computing the loss of the whole validation part", /*always=*/true);
  const double loss = WholeLoss(trainer_->model(), data_->val);
  line_.Finish();
  if (absl::Status written = metrics_->Append({trainer_->step(), {{"whole_val_loss", loss}}});
      !written.ok()) {
    return written;
  }
  line_.Print(absl::StrFormat("validation loss %.4f nats per character, over all %s of them", loss,
                              FormatCount(data_->val.size() - 1)));
  if (data_->entropy.has_value()) {
    line_.Print(absl::StrFormat("that is %.4f above the validation part's own entropy",
                                loss - data_->entropy->val));
  }
  line_.Print(absl::StrCat("peak memory ", FormatBytes(PeakResidentBytes()), ", ", NumThreads(),
                           NumThreads() == 1 ? " thread" : " threads"));
  if (absl::Status drawn = Draw(); !drawn.ok()) {
    line_.Print(absl::StrCat("no loss.svg: ", drawn.message()));
  }
  absl::StatusOr<std::string> sample = Sample();
  if (!sample.ok()) return sample.status();
  if (absl::Status written = nn::WriteFileAtomically(File("sample.txt"), *sample); !written.ok()) {
    return written;
  }
  line_.Print(absl::StrCat("a sample:\n", *sample));
  line_.Print(absl::StrCat("the run is in ", DisplayPath(out_)));
  return absl::OkStatus();
}

}  // namespace

std::string CheckpointPath(const std::string& out) {
  return absl::StrCat(out, "/checkpoint.safetensors");
}

absl::Status RunTraining(const TrainRequest& request) { return Run(request).Go(); }

}  // namespace lemma::tools
