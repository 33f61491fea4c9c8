#include <functional>
#include <iostream>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "nn/optim/adam.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Smoke test: 51 steps of AdamW (learning rate 0.001) on one batch bring the "
                  "course GPT's loss below half of the initial one.",
     .source = "Step 5, 5.4, smoke test",
     .exact = "an empirical statement about one seed and batch, with a wide margin"});

using LogitsFunction = std::function<Tensor(models::Gpt& model, const Tensor& tokens)>;

std::vector<Measurement> LossAfterMemorising(const LogitsFunction& logits) {
  Generator generator(1337);
  models::Gpt model(CourseConfig(), generator);
  const TokenBatch batch = FirstBatch();
  optim::AdamW optimizer(model.NamedParameters(), {.lr = 1e-3});
  double first = 0, last = 0;
  for (int step = 0; step <= 50; ++step) {
    const Tensor loss =
        CrossEntropy(Reshape(logits(model, batch.tokens), {64, 65}), Reshape(batch.targets, {64}));
    last = loss.Item();
    if (step == 0) first = last;
    if (step % 25 == 0) std::cout << "step " << step << ", loss " << last << '\n';
    optimizer.ZeroGrad();
    Backward(loss);
    optimizer.Step();
  }
  return {AtMost("loss at step 50 / loss at step 0", last / first, 0.5)};
}

TEST(SmokeTest, OneBatchIsMemorised) {
  ExpectHolds(
      LossAfterMemorising([](models::Gpt& model, const Tensor& tokens) { return model(tokens); }));
}

// A model that cannot tell positions apart learns how frequent characters are, and no more.
TEST(SmokeTest, GoesRedForAModelThatSeesNothing) {
  ExpectBroken(LossAfterMemorising([](models::Gpt& model, const Tensor& tokens) {
    const Tensor first = model(ZerosLike(Slice(tokens, 1, 0, 1)));  // (1, 1, V)
    return Expand(first, {1, tokens.size(1), 65});
  }));
}

TEST(SmokeTest, GoesRedWhereTheGradientHasTheWrongSign) {
  ExpectBroken(LossAfterMemorising([](models::Gpt& model, const Tensor& tokens) {
    Tensor logits = model(tokens);
    logits.RegisterHook([](const Tensor& gradient) { return gradient * -1.0; });
    return logits;
  }));
}

}  // namespace
}  // namespace lemma::propositions
