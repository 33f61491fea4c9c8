#include <cmath>
#include <functional>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "nn/optim/adam.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"
#include "tests/propositions/spread.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "Leak detector: on fresh, uniformly random tokens no causal model's loss is below "
         "ln V less three standard errors, however it was trained.",
     .source = "what the course's next steps state",
     .exact = "in probability: the target is independent of what the model sees, so the expected "
              "loss is at least ln V (Jensen); three standard errors below it one test in 700 "
              "would be by chance. Seeds are fixed"});

constexpr uint64_t kSeed = 60;

using LogitsFunction = std::function<Tensor(models::Gpt& model, const Tensor& tokens)>;

TokenBatch RandomBatch(const models::GptConfig& config, int64_t rows, Generator& generator) {
  const int64_t t = config.context;
  const Tensor window = RandomTokens(config, rows, t + 1, generator);
  return {Contiguous(Slice(window, 1, 0, t)), Contiguous(Slice(window, 1, 1, t + 1))};
}

Tensor Losses(const LogitsFunction& f, models::Gpt& model, const TokenBatch& batch,
              Reduction reduction) {
  const int64_t rows = batch.tokens.numel();
  return CrossEntropy(Reshape(f(model, batch.tokens), {rows, model.config().vocab}),
                      Reshape(batch.targets, {rows}), {.reduction = reduction});
}

void Train(const LogitsFunction& f, models::Gpt& model, int steps,
           const std::function<TokenBatch()>& next) {
  optim::AdamW optimizer(model.NamedParameters(), {.lr = 3e-3});
  for (int step = 0; step < steps; ++step) {
    optimizer.ZeroGrad();
    Backward(Losses(f, model, next(), Reduction::kMean));
    optimizer.Step();
  }
}

// On 256 rows of fresh tokens: (mean loss - ln V) / standard error.
Measurement StandardErrors(const std::string& name, const LogitsFunction& f, models::Gpt& model,
                           Generator& generator) {
  const NoGrad no_grad;
  const TokenBatch fresh = RandomBatch(model.config(), 256, generator);
  const Spread losses = SpreadOf(Doubles(Losses(f, model, fresh, Reduction::kNone)));
  const double log_vocabulary = std::log(static_cast<double>(model.config().vocab));
  std::cout << name << ": loss " << losses.mean << ", ln V " << log_vocabulary
            << ", standard error " << losses.standard_error << '\n';
  return AtLeast(absl::StrCat(name, ": standard errors above ln V"),
                 (losses.mean - log_vocabulary) / losses.standard_error, -3);
}

Tensor Model(models::Gpt& model, const Tensor& tokens) { return model(tokens); }

// A small GPT, trained to predict random tokens.
Measurement TrainedOnRandomTokens(const LogitsFunction& f) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  const models::GptConfig config = {.vocab = 8, .context = 8, .width = 32, .heads = 2, .layers = 1};
  models::Gpt model(config, generator);
  Train(f, model, 400, [&] { return RandomBatch(config, 32, generator); });
  return StandardErrors("trained on random tokens", f, model, generator);
}

TEST(LeakDetector, HoldsForTheUntrainedCourseGpt) {
  Generator generator(kSeed);
  for (const models::GptInit init : {models::GptInit::kCourse, models::GptInit::kGpt2}) {
    models::GptConfig config = CourseConfig();
    config.init = init;
    models::Gpt model(config, generator);
    ExpectHolds(StandardErrors(
        init == models::GptInit::kCourse ? "untrained" : "untrained, GPT-2's initialisation", Model,
        model, generator));
  }
}

TEST(LeakDetector, HoldsForAModelOfText) {
  Generator generator(kSeed);
  const models::GptConfig config = {.context = 32, .width = 32, .layers = 2};
  models::Gpt model(config, generator);
  uint64_t batch = 0;
  Train(Model, model, 100, [&] { return RealBatch(16, 32, ++batch); });
  ExpectHolds(StandardErrors("trained on text", Model, model, generator));
}

TEST(LeakDetector, HoldsForAModelOfRandomTokens) { ExpectHolds(TrainedOnRandomTokens(Model)); }

TEST(LeakDetector, GoesRedWithoutTheMask) {
  ExpectBroken(TrainedOnRandomTokens([](models::Gpt& model, const Tensor& tokens) {
    return Assemble(model, tokens, Unmasked(model.config().heads));
  }));
}

TEST(LeakDetector, GoesRedWithAMaskThatIsOneLate) {
  ExpectBroken(TrainedOnRandomTokens([](models::Gpt& model, const Tensor& tokens) {
    return Assemble(model, tokens, MaskedOneLate(model.config().heads));
  }));
}

}  // namespace
}  // namespace lemma::propositions
