// The notebook's attention, written out in plain ops, and layers to compare it with: what the
// propositions of this folder share.
#ifndef LEMMA_TESTS_PROPOSITIONS_MULTI_HEAD_MULTI_HEAD_H_
#define LEMMA_TESTS_PROPOSITIONS_MULTI_HEAD_MULTI_HEAD_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "nn/attention.h"

namespace lemma::propositions {

// LM3-L3, section 2: projections (d_in, d_k) applied from the right, scores, -inf above the
// diagonal, softmax, mix.
struct Attended {
  Tensor out;      // (B, T, d_k)
  Tensor weights;  // (B, T, T)
};
Attended CausalAttention(const Tensor& x, const Tensor& wq, const Tensor& wk, const Tensor& wv);
// Section 3: the same without the mask, broken on purpose.
Attended UnmaskedAttention(const Tensor& x, const Tensor& wq, const Tensor& wk, const Tensor& wv);

// Section 4, steps 2 and 4: (B, T, H D) -> (B, H, T, D) and back.
Tensor SplitHeads(const Tensor& x, int64_t heads);
Tensor MergeHeads(const Tensor& x);

// Sizes and a seed. The defaults are the notebook's.
struct LayerCase {
  uint64_t seed = 0;
  int64_t batch = 2;       // B
  int64_t time = 6;        // T
  int64_t in = 8;          // d_in
  int64_t heads = 2;       // H
  int64_t head_width = 4;  // D
  int64_t out() const { return heads * head_width; }
};

// The notebook's case first, then 20 of random sizes, T from 2 to 40, from a seed that is printed.
std::vector<LayerCase> LayerCases();

nn::MultiHeadAttentionOptions CausalOptions(const LayerCase& c);

// An input, drawn from the seed; three projections for one head, drawn after it; and layers, drawn
// from seed + 1 as the notebook does. In float64 they hold the same numbers.
struct LayerExample {
  explicit LayerExample(const LayerCase& c, DType dtype = DType::kFloat32);

  Generator generator;
  Tensor x;                                 // (B, T, d_in)
  Tensor wq, wk, wv;                        // (d_in, D), of variance 1 / d_in
  nn::MultiHeadAttention causal, unmasked;  // with the same parameters
};

// From x to outputs, by one of an example's layers.
using LayerFunction = std::function<Tensor(LayerExample& e, const Tensor& x)>;

// Section 3: the largest change of the outputs before the last position when the last token of
// every sequence is replaced.
double Leak(const LayerFunction& layer, LayerExample& e);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_MULTI_HEAD_MULTI_HEAD_H_
