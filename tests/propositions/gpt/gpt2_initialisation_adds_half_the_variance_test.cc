#include <cmath>
#include <iostream>
#include <vector>

#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"
#include "tests/propositions/spread.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "With GPT-2's initialisation (standard deviation 0.02, untied) the mean initial loss is "
         "ln V + d 0.02^2 / 2. Why: a row after the last LayerNorm has squared length d and does "
         "not depend on the unembedding, so a logit has variance s^2 = d 0.02^2; the target's "
         "logit is 0 on average, and ln sum exp is ln V + s^2 / 2.",
     .source = "Step 5, 5.4, verification 3",
     .exact =
         "the mean over 100 fixed seeds, within 0.01: 5 standard errors. A row's squared length "
         "falls short of d by half a percent, since the stream's variance is only some 200 eps"});

std::vector<Measurement> MeanLoss(const models::GptConfig& config, int seeds) {
  const NoGrad no_grad;
  const double d = static_cast<double>(config.width);
  double rows = 0, squares = 0, logit_squares = 0;
  std::vector<double> losses;
  for (int seed = 0; seed < seeds; ++seed) {
    Generator generator(seed);
    models::Gpt model(config, generator);
    const TokenBatch batch = RealBatch(16, 64, /*seed=*/2000 + seed);
    losses.push_back(model.Loss(batch.tokens, batch.targets).Item());
    if (seed >= 8) continue;
    const Tensor hidden = model.Hidden(batch.tokens);  // (B, T, C)
    squares += std::pow(EuclideanNorm(hidden), 2);
    logit_squares += std::pow(EuclideanNorm(model.head(hidden)), 2);
    rows += 16 * 64;
  }
  const Spread spread = SpreadOf(losses);
  std::cout << seeds << " seeds from 0 on " << Text().name << ": mean " << spread.mean
            << ", standard error " << spread.standard_error << '\n';
  const double variance = d * 0.02 * 0.02;
  return {Between("mean squared length of a row / d", 0.99, squares / rows / d, 1),
          Between("mean squared logit / (d 0.02^2)", 0.97,
                  logit_squares / rows / static_cast<double>(config.vocab) / variance, 1.03),
          Between("mean loss less ln V, expected 0.0256", variance / 2 - 0.01,
                  spread.mean - std::log(static_cast<double>(config.vocab)), variance / 2 + 0.01)};
}

models::GptConfig Gpt2Initialised() {
  models::GptConfig config = CourseConfig();
  config.init = models::GptInit::kGpt2;
  return config;
}

TEST(Gpt2Initialisation, AddsHalfTheVariance) { ExpectHolds(MeanLoss(Gpt2Initialised(), 100)); }

TEST(Gpt2Initialisation, GoesRedWithTheCoursesUnembedding) {
  ExpectBroken(MeanLoss(CourseConfig(), 10));
}

// A tied head is not independent of the row: the logit of the token itself is far above 0.
TEST(Gpt2Initialisation, GoesRedWithATiedHead) {
  models::GptConfig config = Gpt2Initialised();
  config.tied_head = true;
  ExpectBroken(MeanLoss(config, 10));
}

}  // namespace
}  // namespace lemma::propositions
