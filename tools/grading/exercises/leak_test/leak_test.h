// Exercise: a test that finds leaks. You write leak_test.cc; this file stays as it is.
#ifndef HOMEWORK_LEAK_TEST_H_
#define HOMEWORK_LEAK_TEST_H_

#include <functional>

#include "tools/grading/homework.h"

namespace homework {

// x (B, T, C) -> (B, T, C), any layer.
using Layer = std::function<Tensor(const Tensor& x)>;

// How much the layer lets a position see of later ones: the largest change of an output before the
// last position when the last token of every sequence is replaced by a random one. 0 for a causal
// layer, above 1e-6 for one that leaks.
double Leak(const Layer& layer, const Tensor& x, Generator& generator);

}  // namespace homework

#endif  // HOMEWORK_LEAK_TEST_H_
