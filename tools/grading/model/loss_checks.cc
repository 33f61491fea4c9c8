#include "tools/grading/model/loss_checks.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/index.h"
#include "autograd/ops/statistics.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "nn/optim/adam.h"
#include "tools/grading/model/random_text.h"

namespace lemma::tools::grading {
namespace {

constexpr double kStandardErrors = 4;
constexpr double kRounding = 1e-4;  // of a loss in float32
constexpr double kInitialExcess = 0.5;
constexpr int kOverfitSteps = 50;
constexpr int64_t kOverfitLength = 64;

double LogVocabulary(const JudgedModel& model) {
  return std::log(static_cast<double>(model.vocab()));
}

// What no model that is blind to the next token falls below.
double LeastLoss(const JudgedModel& model, const RandomLoss& loss) {
  return LogVocabulary(model) - kStandardErrors * loss.standard_error - kRounding;
}

constexpr char kSeesTargets[] =
    "random tokens cannot be predicted, so it sees those that it is to predict: a leak in the "
    "mask, or targets among its inputs";

// The standard deviation of a position's logits.
double LogitSpread(JudgedModel& model, uint64_t seed) {
  const NoGrad no_grad;
  Generator generator(seed);
  const Tensor logits = LogitsOf(
      model, RandomBatch(model, 1, std::min<int64_t>(model.context(), 16), generator).inputs);
  const std::vector<double> variances = Cast(Var(logits, {-1}), DType::kFloat64).ToVector<double>();
  double sum = 0;
  for (const double variance : variances) sum += variance;
  return std::sqrt(sum / static_cast<double>(variances.size()));
}

// One text, so that no two positions ask for different tokens after the same ones, of two tokens at
// random: who sees neither positions nor what came before gets no further than ln 2.
TokenBatch TextToMemorise(const JudgedModel& model, Generator& generator) {
  const int64_t length = std::min(model.context(), kOverfitLength);
  const Tensor tokens = Slice(RandPerm(model.vocab(), generator), 0, 0, 2);
  const Tensor choices = RandInt(0, tokens.numel(), {length + 1}, generator);
  const Tensor text = Reshape(IndexSelect(tokens, 0, choices), {1, length + 1});
  return {Contiguous(Slice(text, 1, 0, length)), Contiguous(Slice(text, 1, 1, length + 1))};
}

// Small models need longer steps: a function of the number of parameters in the place of the width.
double LearningRate(const std::vector<nn::NamedTensor>& parameters) {
  int64_t count = 1;
  for (const nn::NamedTensor& named : parameters) count += named.value.numel();
  return std::clamp(1e-3 * std::sqrt(816640.0 / static_cast<double>(count)), 3e-5, 1e-2);
}

}  // namespace

Finding CheckInitialLoss(const ModelExamination& e) {
  const std::unique_ptr<JudgedModel> fresh = e.subject.untrained ? nullptr : e.model.Fresh(e.seed);
  JudgedModel& model = fresh != nullptr ? *fresh : e.model;
  const RandomLoss loss = LossOnRandomTokens(model, e.seed + 3);
  const double least = LeastLoss(model, loss), most = LogVocabulary(model) + kInitialExcess;
  Finding finding = {
      .passed = loss.mean >= least && loss.mean <= most,
      .measured = absl::StrFormat(
          "loss of %s %.4f (from ln %d less %.0f standard errors, %.4f, to ln %d + 1/2, %.4f)",
          fresh != nullptr ? "fresh initial values" : "its initial values", loss.mean,
          model.vocab(), kStandardErrors, least, model.vocab(), most)};
  if (finding.passed) return finding;
  finding.problem = loss.mean < least
                        ? std::string(kSeesTargets)
                        : absl::StrFormat(
                              "initial values are too large: logits have standard deviation %.2g, "
                              "and with 1 the loss is ln V + 1/2",
                              LogitSpread(model, e.seed + 3));
  return finding;
}

Finding CheckRandomTokens(const ModelExamination& e) {
  const RandomLoss loss = LossOnRandomTokens(e.model, e.seed + 4);
  const double least = LeastLoss(e.model, loss);
  return {.passed = loss.mean >= least,
          .measured = absl::StrFormat("loss %.4f (at least ln %d less %.0f standard errors, %.4f)",
                                      loss.mean, e.model.vocab(), kStandardErrors, least),
          .problem = kSeesTargets};
}

Finding CheckOverfit(const ModelExamination& e) {
  const std::unique_ptr<JudgedModel> model = e.model.Copy(DType::kFloat32);
  Generator generator(e.seed + 5);
  const TokenBatch batch = TextToMemorise(*model, generator);
  optim::AdamW optimizer(model->Parameters(), {.lr = LearningRate(model->Parameters())});
  double first = 0, last = 0;
  for (int step = 0; step <= kOverfitSteps; ++step) {
    e.status(absl::StrCat("step ", step, " of ", kOverfitSteps));
    const Tensor loss = LossOf(*model, batch);
    last = loss.Item();
    if (step == 0) first = last;
    if (step == kOverfitSteps) break;
    optimizer.ZeroGrad();
    Backward(loss);
    optimizer.Step();
  }
  const double most = std::min(first, std::log(2.0)) / 2;
  return {.passed = last <= most,
          .measured = absl::StrFormat(
              "loss %.4f after %d steps of AdamW on one text of %d tokens, %.4f before (at most "
              "%.4f, half of %s)",
              last, kOverfitSteps, batch.inputs.numel(), first, most,
              first < std::log(2.0) ? "that" : "ln 2"),
          .problem =
              "it does not learn one text by heart: it sees neither positions nor what came "
              "before, or its values are so large that steps of this size change nothing"};
}

}  // namespace lemma::tools::grading
