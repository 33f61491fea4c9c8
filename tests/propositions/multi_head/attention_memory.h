// Memory of attention, as the allocator saw it.
#ifndef LEMMA_TESTS_PROPOSITIONS_MULTI_HEAD_ATTENTION_MEMORY_H_
#define LEMMA_TESTS_PROPOSITIONS_MULTI_HEAD_ATTENTION_MEMORY_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "autograd/tensor.h"

namespace lemma::propositions {

// The lengths of the notebook's section 6, and its 12 heads; D = 64.
inline constexpr int64_t kTimes[] = {64, 128, 256, 512, 1024};

// q, k and v (1, 12, T, 64) -> out, of the same shape.
using Attention = std::function<Tensor(const Tensor& q, const Tensor& k, const Tensor& v)>;

// Bytes beyond q, k and v, one number for each of kTimes.
struct AttentionMemory {
  std::vector<double> forward;   // the most in use at once, when nothing is recorded
  std::vector<double> kept;      // in use between forward and backward, out among them
  std::vector<double> backward;  // the most in use at once in forward and backward
};

AttentionMemory MeasureMemory(const Attention& attend);

// Of one tensor q k^T, and of q, k and v together, for each of kTimes.
std::vector<double> BytesOfScores();
std::vector<double> BytesOfQKV();

// The slope of log(bytes) over log(T), by least squares.
double Exponent(const std::vector<double>& bytes);
// The last number over the one before: what doubling T does.
double Doubling(const std::vector<double>& bytes);

Tensor CompositeAttention(const Tensor& q, const Tensor& k, const Tensor& v);
Tensor FusedAttention(const Tensor& q, const Tensor& k, const Tensor& v);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_MULTI_HEAD_ATTENTION_MEMORY_H_
