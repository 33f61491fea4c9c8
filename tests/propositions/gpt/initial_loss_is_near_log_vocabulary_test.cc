#include <cmath>
#include <functional>
#include <iostream>
#include <vector>

#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "nn/init.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/proposition.h"
#include "tests/propositions/spread.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The untrained course GPT's loss on real text lies between ln V and ln V + 0.3. "
                  "On average it is ln V + 1/6: the last LayerNorm gives rows of squared length d, "
                  "an unembedding uniform in +-1/sqrt(d) has entries of variance 1/(3 d), so a "
                  "logit has variance s^2 = 1/3, and the mean of ln sum exp is ln V + s^2 / 2.",
     .source = "Step 5, 5.4, verification 3",
     .exact =
         "in probability: the loss of a seed deviates by about 0.03, so the interval's ends are "
         "4 to 5 deviations away; 100 fixed seeds, batches of 64 x 64"});

// A seed's loss, for each of `seeds`.
std::vector<Measurement> InitialLoss(int seeds, const std::function<void(models::Gpt&)>& change) {
  const double log_vocabulary = std::log(65.0);
  std::vector<double> losses;
  const NoGrad no_grad;
  for (int seed = 0; seed < seeds; ++seed) {
    Generator generator(seed);
    models::Gpt model(CourseConfig(), generator);
    change(model);
    const TokenBatch batch = RealBatch(64, 64, /*seed=*/1000 + seed);
    losses.push_back(model.Loss(batch.tokens, batch.targets).Item());
  }
  const Spread spread = SpreadOf(losses);
  std::cout << "seeds 0 to " << seeds - 1 << " on " << Text().name << ": mean " << spread.mean
            << ", deviation " << spread.deviation << ", ln V " << log_vocabulary << '\n';
  return {
      AtLeast("smallest loss", spread.smallest, log_vocabulary),
      AtMost("largest loss", spread.largest, log_vocabulary + 0.3),
      Between("mean loss less ln V", 1.0 / 6 - 0.02, spread.mean - log_vocabulary, 1.0 / 6 + 0.02)};
}

TEST(InitialLoss, IsNearLogVocabulary) {
  ExpectHolds(InitialLoss(100, [](models::Gpt&) {}));
}

// The course's "near 8": an unembedding drawn like an embedding.
TEST(InitialLoss, GoesRedWithAStandardNormalUnembedding) {
  ExpectBroken(InitialLoss(3, [](models::Gpt& model) {
    Generator generator(1);
    nn::init::Normal(model.head.weight, generator);
  }));
}

TEST(InitialLoss, GoesRedWithoutLogits) {
  ExpectBroken(InitialLoss(3, [](models::Gpt& model) { nn::init::Zeros(model.head.weight); }));
}

}  // namespace
}  // namespace lemma::propositions
