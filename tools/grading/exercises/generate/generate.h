// Exercise: generating text. You write generate.cc; this file stays as it is.
#ifndef HOMEWORK_GENERATE_H_
#define HOMEWORK_GENERATE_H_

#include <functional>

#include "tools/grading/homework.h"

namespace homework {

// tokens int64 (1, T), T at most the context -> logits (1, T, V), of the token after each position.
using Model = std::function<Tensor(const Tensor& tokens)>;

// Draws `count` tokens, each by Multinomial from softmax(logits / temperature) at the last
// position, one call of generator.Multinomial each, and appends them. The model sees the last
// `context` tokens at most. Returns prompt and drawn tokens.
std::vector<int64_t> Generate(const Model& model, const std::vector<int64_t>& prompt, int64_t count,
                              int64_t context, double temperature, Generator& generator);

}  // namespace homework

#endif  // HOMEWORK_GENERATE_H_
