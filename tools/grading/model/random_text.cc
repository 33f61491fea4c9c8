#include "tools/grading/model/random_text.h"

#include <algorithm>
#include <cmath>

#include "autograd/create.h"
#include "autograd/error.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/views.h"

namespace lemma::tools::grading {

int64_t TokenBudget(const JudgedModel& model) {
  int64_t parameters = 1;
  for (const nn::NamedTensor& named : model.Parameters()) parameters += named.value.numel();
  return std::clamp<int64_t>(4'000'000'000 / parameters, 256, 4096);
}

TokenBatch RandomBatch(const JudgedModel& model, int64_t rows, int64_t length,
                       Generator& generator) {
  const Tensor window = RandInt(0, model.vocab(), {rows, length + 1}, generator);
  return {Contiguous(Slice(window, 1, 0, length)), Contiguous(Slice(window, 1, 1, length + 1))};
}

Tensor LogitsOf(JudgedModel& model, const Tensor& tokens) {
  Tensor logits = model.Logits(tokens);
  const Shape right = {tokens.size(0), tokens.size(1), model.vocab()};
  if (logits.shape() != right) {
    Fail("model", "logits: they must be (B, t, V) = ", right.ToString(), "; they are ",
         logits.shape().ToString());
  }
  return logits;
}

Tensor LossOf(JudgedModel& model, const TokenBatch& batch) {
  const int64_t rows = batch.targets.numel();
  return CrossEntropy(Reshape(LogitsOf(model, batch.inputs), {rows, model.vocab()}),
                      Reshape(batch.targets, {rows}));
}

RandomLoss LossOnRandomTokens(JudgedModel& model, uint64_t seed) {
  const NoGrad no_grad;
  Generator generator(seed);
  const int64_t budget = TokenBudget(model);
  const int64_t length = std::min(model.context(), std::max<int64_t>(budget / 8, 32));
  const int64_t rows = std::clamp<int64_t>(budget / 2 / length, 8, 64);
  double sum = 0, squares = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const double loss = LossOf(model, RandomBatch(model, 1, length, generator)).Item();
    sum += loss;
    squares += loss * loss;
  }
  const double n = static_cast<double>(rows), mean = sum / n;
  const double variance = std::max(squares / n - mean * mean, 0.0) * n / (n - 1);
  return {mean, std::sqrt(variance / n)};
}

}  // namespace lemma::tools::grading
