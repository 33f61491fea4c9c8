#include "tools/trainer.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "nn/optim/clip.h"

namespace lemma::tools {
namespace {

using datasets::Batch;
using datasets::BatchSampler;

// Windows that an evaluation reads at once.
constexpr int64_t kEvalRows = 16;

struct BatchTensors {
  Tensor inputs;   // (B, T)
  Tensor targets;  // (B, T)
};

BatchTensors AsTensors(const Batch& batch) {
  const Shape shape{batch.rows, batch.length};
  return {FromVector(batch.inputs, shape), FromVector(batch.targets, shape)};
}

// Runs a model without dropout and without a record while alive.
class EvalScope {
 public:
  explicit EvalScope(models::Gpt& model) : model_(model), was_training_(model.training()) {
    model_.Eval();
  }
  ~EvalScope() { model_.Train(was_training_); }

 private:
  models::Gpt& model_;
  const bool was_training_;
  NoGrad no_grad_;
};

// Matrices and embeddings decay; biases and the weights of LayerNorms do not.
std::vector<optim::ParameterGroup> DecayGroups(const models::Gpt& model) {
  optim::ParameterGroup matrices, vectors{.weight_decay = 0};
  for (nn::NamedTensor& named : model.NamedParameters()) {
    (named.value.rank() >= 2 ? matrices : vectors).parameters.push_back(std::move(named));
  }
  return {std::move(matrices), std::move(vectors)};
}

absl::StatusOr<std::string> MetadataOf(const models::GptCheckpoint& checkpoint, const char* key) {
  auto it = checkpoint.contents.metadata.find(key);
  if (it == checkpoint.contents.metadata.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the checkpoint has weights but no \"", key,
                     "\", so training can't be resumed from it; --init_from takes its weights"));
  }
  return it->second;
}

absl::Status SetGenerator(const models::GptCheckpoint& checkpoint, const char* key,
                          const std::function<absl::Status(absl::string_view)>& set) {
  absl::StatusOr<std::string> hex = MetadataOf(checkpoint, key);
  if (!hex.ok()) return hex.status();
  for (char c : *hex) {
    if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) {
      return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" is not in hexadecimal digits"));
    }
  }
  if (hex->size() % 2 != 0) {
    return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" is cut short"));
  }
  return set(absl::HexStringToBytes(*hex));
}

}  // namespace

double WholeLoss(models::Gpt& model, absl::Span<const int64_t> tokens) {
  const EvalScope eval(model);
  datasets::WindowReader reader(tokens, model.config().context);
  Batch batch;
  double sum = 0;
  while (reader.Next(kEvalRows, &batch)) {
    const BatchTensors tensors = AsTensors(batch);
    sum += model.Loss(tensors.inputs, tensors.targets).Item() *
           static_cast<double>(batch.targets.size());
  }
  return sum / static_cast<double>(reader.targets());
}

Trainer::Trainer(const TrainConfig& config, const datasets::TextDataset& data, BatchSampler train,
                 BatchSampler val)
    : config_(config),
      data_(data),
      dropout_generator_(config.seed + 1),
      train_(std::move(train)),
      val_(std::move(val)) {
  Generator generator(config.seed);
  model_ = std::make_unique<models::Gpt>(config.model, generator, &dropout_generator_);
  optimizer_ = std::make_unique<optim::AdamW>(
      DecayGroups(*model_), optim::AdamWOptions{.lr = config.lr,
                                                .beta1 = config.beta1,
                                                .beta2 = config.beta2,
                                                .weight_decay = config.weight_decay});
  schedule_ =
      optim::WarmupCosine({.lr = config.lr,
                           .min_lr = config.min_lr,
                           .warmup = config.warmup,
                           .steps = config.decay_steps > 0 ? config.decay_steps : config.steps});
}

absl::StatusOr<std::unique_ptr<Trainer>> Trainer::Create(const TrainConfig& config,
                                                         const datasets::TextDataset& data) {
  if (data.tokenizer.size() != config.model.vocab) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model has a vocabulary of ", config.model.vocab, ", the text ", data.name,
                     " one of ", data.tokenizer.size(), " characters"));
  }
  if (absl::Status fits = datasets::CheckContext(data, config.model.context); !fits.ok()) {
    return fits;
  }
  absl::StatusOr<BatchSampler> train =
      BatchSampler::Create(data.train, config.batch_size, config.model.context, config.seed);
  if (!train.ok()) return train.status();
  absl::StatusOr<BatchSampler> val =
      BatchSampler::Create(data.val, config.batch_size, config.model.context, config.seed + 2);
  if (!val.ok()) return val.status();
  return std::unique_ptr<Trainer>(new Trainer(config, data, *std::move(train), *std::move(val)));
}

int64_t Trainer::tokens_per_step() const {
  return config_.batch_size * config_.accumulate * config_.model.context;
}

bool Trainer::ParametersAreFinite() const {
  for (const Tensor& parameter : model_->Parameters()) {
    double sum = 0;  // of zeros, unless a value is not finite
    const float* values = parameter.data<float>();
    for (int64_t i = 0; i < parameter.numel(); ++i) sum += values[i] * 0.0;
    if (sum != 0) return false;
  }
  return true;
}

double Trainer::ForwardBackward() {
  if (!config_.overfit_one_batch || batch_.rows == 0) train_.Next(&batch_);
  const BatchTensors tensors = AsTensors(batch_);
  const Tensor loss = model_->Loss(tensors.inputs, tensors.targets);
  Backward(loss);
  return loss.Item();
}

StepResult Trainer::Step() {
  return *StepUnless([] { return false; });
}

std::optional<StepResult> Trainer::StepUnless(absl::FunctionRef<bool()> stop) {
  const Position before{train_, batch_, dropout_generator_};
  StepResult result{.lr = schedule_(step_)};
  optimizer_->SetLr(result.lr);
  optimizer_->ZeroGrad();
  for (int64_t i = 0; i < config_.accumulate; ++i) {
    if (i > 0 && stop()) {
      optimizer_->ZeroGrad();
      train_ = before.train;
      batch_ = before.batch;
      dropout_generator_ = before.dropout_generator;
      return std::nullopt;
    }
    result.loss += ForwardBackward();
  }
  double scale = 1 / static_cast<double>(config_.accumulate);
  result.loss *= scale;
  result.grad_norm = scale * optim::GradNorm(optimizer_->Parameters());
  if (config_.clip > 0) scale *= optim::ClipFactor(result.grad_norm, config_.clip);
  optimizer_->Step(scale);
  ++step_;
  return result;
}

double Trainer::Evaluate() {
  const EvalScope eval(*model_);
  Batch batch;
  double sum = 0;
  for (int64_t i = 0; i < config_.eval_batches; ++i) {
    val_.Next(&batch);
    const BatchTensors tensors = AsTensors(batch);
    sum += model_->Loss(tensors.inputs, tensors.targets).Item();
  }
  return sum / static_cast<double>(config_.eval_batches);
}

nn::Checkpoint Trainer::MakeCheckpoint() const {
  nn::Checkpoint checkpoint = models::MakeGptCheckpoint(*model_, data_.tokenizer.Alphabet());
  checkpoint.Add(models::kOptimizerPrefix, optimizer_->State());
  auto& metadata = checkpoint.metadata;
  metadata["dataset"] = data_.name;
  metadata["training"] = config_.ToJson();
  metadata["step"] = absl::StrCat(step_);
  metadata["batches_generator"] = absl::BytesToHexString(train_.State());
  metadata["evaluation_generator"] = absl::BytesToHexString(val_.State());
  metadata["dropout_generator"] = absl::BytesToHexString(dropout_generator_.State());
  return checkpoint;
}

absl::Status Trainer::LoadWeights(const models::GptCheckpoint& checkpoint) {
  return models::LoadParameters(checkpoint, *model_);
}

absl::Status Trainer::Restore(const models::GptCheckpoint& checkpoint) {
  absl::StatusOr<std::string> step = MetadataOf(checkpoint, "step");
  if (!step.ok()) return step.status();
  if (!absl::SimpleAtoi(*step, &step_) || step_ < 0) {
    return absl::InvalidArgumentError(absl::StrCat("\"step\" is \"", *step, "\", not a number"));
  }
  if (absl::Status loaded = LoadWeights(checkpoint); !loaded.ok()) return loaded;
  absl::Status state =
      optimizer_->LoadState(checkpoint.contents.WithPrefix(models::kOptimizerPrefix));
  if (!state.ok()) return state;
  const std::pair<const char*, std::function<absl::Status(absl::string_view)>> generators[] = {
      {"batches_generator", [&](absl::string_view bytes) { return train_.SetState(bytes); }},
      {"evaluation_generator", [&](absl::string_view bytes) { return val_.SetState(bytes); }},
      {"dropout_generator",
       [&](absl::string_view bytes) { return dropout_generator_.SetState(bytes); }}};
  for (const auto& [key, set] : generators) {
    if (absl::Status status = SetGenerator(checkpoint, key, set); !status.ok()) return status;
  }
  // The one batch of an overfitting run is the first that the seed gives.
  if (config_.overfit_one_batch && step_ > 0) {
    absl::StatusOr<BatchSampler> first =
        BatchSampler::Create(data_.train, config_.batch_size, config_.model.context, config_.seed);
    first->Next(&batch_);
  }
  return absl::OkStatus();
}

}  // namespace lemma::tools
