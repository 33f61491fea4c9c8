// Random tokens to judge a model on, and what it makes of them.
#ifndef LEMMA_TOOLS_GRADING_MODEL_RANDOM_TEXT_H_
#define LEMMA_TOOLS_GRADING_MODEL_RANDOM_TEXT_H_

#include <cstdint>
#include <vector>

#include "autograd/random.h"
#include "autograd/tensor.h"
#include "tools/grading/model/judged_model.h"

namespace lemma::tools::grading {

// How many tokens a check may read at once: 4,096 of a model of the course's size, fewer of larger
// ones.
int64_t TokenBudget(const JudgedModel& model);

struct TokenBatch {
  Tensor inputs;   // int64 (B, t)
  Tensor targets;  // int64 (B, t), the token after each input
};

// Rows of independent tokens, all equally likely.
TokenBatch RandomBatch(const JudgedModel& model, int64_t rows, int64_t length,
                       Generator& generator);

// model.Logits, which must be (B, t, V); else an Error.
Tensor LogitsOf(JudgedModel& model, const Tensor& tokens);

// The mean cross entropy of the targets, a scalar, in nats per token.
Tensor LossOf(JudgedModel& model, const TokenBatch& batch);

// The loss on random tokens, whose rows the model reads one at a time, as it reads a text that it
// continues.
struct RandomLoss {
  double mean = 0;
  double standard_error = 0;  // of the mean, from the spread between rows
};
RandomLoss LossOnRandomTokens(JudgedModel& model, uint64_t seed);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_RANDOM_TEXT_H_
