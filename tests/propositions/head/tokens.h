// Tokens, their embeddings, and what it means that a head commutes with permutations of time.
#ifndef LEMMA_TESTS_PROPOSITIONS_HEAD_TOKENS_H_
#define LEMMA_TESTS_PROPOSITIONS_HEAD_TOKENS_H_

#include <functional>

#include "autograd/tensor.h"
#include "nn/embedding.h"
#include "tests/propositions/head/head.h"

namespace lemma::propositions {

// An Example, and after it in the stream of draws: the course's two embeddings, tokens, and a
// permutation of the positions that is not the identity.
struct TokenExample : Example {
  explicit TokenExample(const Case& c);

  nn::Embedding token, position;  // (65, C), (T, C)
  Tensor tokens;                  // (B, T) int64
  Tensor permutation;             // (T) int64

  // x (B, T, ...) with x[:, permutation[t]] at position t.
  Tensor Permute(const Tensor& x) const;
};

// Maps x (B, T, ...), inputs or tokens, to outputs (b, T, d_k).
using TokenFunction = std::function<Tensor(TokenExample& e, const Tensor& x)>;

// |f(P x) - P f(x)|, the largest element: 0 where f commutes with the permutation P.
double Commutator(const TokenFunction& f, TokenExample& e, const Tensor& x);

// How far rounding may carry a commutator: sums of T terms in another order, for weights of row sum
// 1 and the values of inputs x (B, T, C).
double CommutatorBound(TokenExample& e, const Tensor& x);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_HEAD_TOKENS_H_
