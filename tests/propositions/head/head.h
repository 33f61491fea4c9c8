// The course's attention head, and inputs for it: what the propositions of this folder share.
//
//   for (const Case& c : Cases()) {        // the course's sizes, then random ones
//     Example e(c);
//     const Tensor a = Weights(e.head, e.x);
//     ...
//   }
//
// A check takes the head's function as an argument, so that a test can pass it a broken one.
#ifndef LEMMA_TESTS_PROPOSITIONS_HEAD_HEAD_H_
#define LEMMA_TESTS_PROPOSITIONS_HEAD_HEAD_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/ops/attention.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "nn/linear.h"
#include "nn/module.h"

namespace lemma::propositions {

// Sizes and the seed that draws the parameters, then the input.
struct Case {
  uint64_t seed = 0;
  int64_t batch = 4;        // B
  int64_t time = 8;         // T
  int64_t width = 32;       // C, the course's d
  int64_t head_width = 16;  // the course's d_k
};

// The course's case first, then 20 of random sizes, T from 2 to 40, from a seed that is printed.
std::vector<Case> Cases();

// Step 4's Head: three Linear without bias, drawn in the course's order.
class Head : public nn::Layer<Head> {
 public:
  Head(int64_t width, int64_t head_width, Generator& generator);

  const char* type() const override { return "Head"; }
  // x (B, T, C) -> (B, T, d_k), by the fused kernel.
  Tensor Forward(const Tensor& x, const AttentionOptions& options = {.causal = true});
  // The same by the definition in plain ops; `weights` gets A (B, T, T).
  Tensor Define(const Tensor& x, const AttentionOptions& options, Tensor* weights = nullptr);
  // q k^T / sqrt(d_k) (B, T, T), without a mask.
  Tensor Scores(const Tensor& x);

  nn::Linear key, query, value;  // weights (d_k, C)
};

// A head and an input. In float64 they hold the same numbers.
struct Example {
  explicit Example(const Case& c, DType dtype = DType::kFloat32);

  Generator generator;
  Head head;
  Tensor x;  // (B, T, C)
};

using HeadFunction = std::function<Tensor(Head& head, const Tensor& x)>;

// A by the definition, and below it as the fused kernel computes it (which never stores it, but its
// output is A where the values are the unit vectors): (2B, T, T).
Tensor Weights(Head& head, const Tensor& x);          // of the causal head
Tensor UnmaskedWeights(Head& head, const Tensor& x);  // every query sees every key

// The output by the definition, and below it the fused kernel's: (2B, T, d_k).
Tensor Output(Head& head, const Tensor& x);
Tensor UnmaskedOutput(Head& head, const Tensor& x);

// (T, T): true where a query may see a key.
Tensor CausalMask(int64_t time);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_HEAD_HEAD_H_
