// Embedding: a row of a table for each index.
#ifndef LEMMA_NN_EMBEDDING_H_
#define LEMMA_NN_EMBEDDING_H_

#include <cstdint>

#include "autograd/random.h"
#include "autograd/tensor.h"
#include "nn/module.h"

namespace lemma::nn {

struct EmbeddingOptions {
  int64_t rows = 0;  // indices are in [0, rows)
  int64_t width = 0;
};

// index int64 (...) -> (..., width). Initial weight is standard normal, as torch.nn.Embedding.
class Embedding : public Layer<Embedding> {
 public:
  Embedding(const EmbeddingOptions& options, Generator& generator);

  const char* type() const override { return "Embedding"; }
  Tensor Forward(Tensor index);

  Tensor weight;  // (rows, width)
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_EMBEDDING_H_
