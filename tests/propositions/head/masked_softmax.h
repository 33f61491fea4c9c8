// The causal softmax, and two ways to get it wrong. Exercise 4 of Step 4 compares them.
#ifndef LEMMA_TESTS_PROPOSITIONS_HEAD_MASKED_SOFTMAX_H_
#define LEMMA_TESTS_PROPOSITIONS_HEAD_MASKED_SOFTMAX_H_

#include <functional>

#include "autograd/tensor.h"

namespace lemma::propositions {

// A (T, T) of scores (T, T).
using MaskedSoftmax = std::function<Tensor(const Tensor& scores)>;

// Hidden scores become -inf, then the softmax: the right order.
Tensor MaskBefore(const Tensor& scores);
// The softmax, then hidden weights become 0.
Tensor MaskAfter(const Tensor& scores);
// MaskAfter, with each row divided by its sum.
Tensor MaskAfterRenormalised(const Tensor& scores);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_HEAD_MASKED_SOFTMAX_H_
