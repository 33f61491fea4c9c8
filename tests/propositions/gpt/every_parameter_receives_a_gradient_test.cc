#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "autograd/backward.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "nn/module.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "One backward pass reaches every parameter: each of the course's matrices and "
                  "vectors, head by head, gets a gradient that is finite and not 0, and of the "
                  "token embedding exactly the rows of tokens that occur.",
     .source = "Step 5, 5.4, smoke test",
     .exact = "the rows of absent tokens are exactly 0, all others are not"});

using LossFunction = std::function<Tensor(models::Gpt& model, const TokenBatch& batch)>;

std::vector<Measurement> GradientsOf(const LossFunction& loss) {
  Generator generator(1337);
  models::Gpt model(CourseConfig(), generator);
  const TokenBatch batch = FirstBatch();
  Backward(loss(model, batch));

  int missing = 0, not_finite = 0, wrong_rows = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const nn::Module::ParameterNames& names : model.AllNames()) {
    const Tensor gradient = names.parameter.value.grad();
    if (!gradient.defined()) {
      ++missing;
      continue;
    }
    for (double entry : Doubles(gradient)) not_finite += !std::isfinite(entry);
    least = std::min(least, EuclideanNorm(gradient));
    // The rows of each head's key, query and value.
    const int64_t head_width = model.config().width / model.config().heads;
    for (size_t i = 0; i < names.views.size(); ++i) {
      const int64_t begin = static_cast<int64_t>(i) * head_width;
      least = std::min(least, EuclideanNorm(Slice(gradient, 0, begin, begin + head_width)));
    }
  }
  const std::vector<int64_t> ids = batch.tokens.ToVector<int64_t>();
  const absl::flat_hash_set<int64_t> present(ids.begin(), ids.end());
  for (int64_t row = 0; row < model.config().vocab; ++row) {
    const Tensor dtok = model.tok.weight.grad();
    const bool reached = dtok.defined() && EuclideanNorm(Select(dtok, 0, row)) > 0;
    wrong_rows += reached != present.contains(row);
  }
  return {Exactly("parameters without a gradient", missing, 0),
          Exactly("entries that are not finite", not_finite, 0),
          AtLeast("smallest norm of a parameter's or one head's gradient", least, 1e-6),
          Exactly("rows of the embedding reached although absent, or not although present",
                  wrong_rows, 0)};
}

// The loss with another block in place of one of them.
LossFunction With(const BlockFunction& block) {
  return [block](models::Gpt& model, const TokenBatch& batch) {
    const Tensor logits = Assemble(model, batch.tokens, block);
    return CrossEntropy(Reshape(logits, {64, 65}), Reshape(batch.targets, {64}));
  };
}

TEST(Gradients, ReachEveryParameter) {
  ExpectHolds(GradientsOf([](models::Gpt& model, const TokenBatch& batch) {
    return model.Loss(batch.tokens, batch.targets);
  }));
}

TEST(Gradients, GoRedWhereAttentionIsDetached) {
  ExpectBroken(GradientsOf(With(WithAttention(
      [](nn::CausalSelfAttention& attention, const Tensor& x) { return attention(x).Detach(); }))));
}

// Cut at each block, nothing below the last one is reached.
TEST(Gradients, GoRedWhereTheStreamIsDetached) {
  ExpectBroken(
      GradientsOf(With([](models::Block& block, const Tensor& x) { return block(x.Detach()); })));
}

}  // namespace
}  // namespace lemma::propositions
