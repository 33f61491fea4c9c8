#include "nn/embedding.h"

#include <utility>

#include "autograd/ops/index.h"
#include "nn/init.h"

namespace lemma::nn {

Embedding::Embedding(const EmbeddingOptions& options, Generator& generator) {
  if (options.rows <= 0 || options.width <= 0) {
    Fail("Embedding", "rows and width must be positive; they are ", options.rows, " and ",
         options.width);
  }
  weight = Tensor::Empty({options.rows, options.width});
  init::Normal(weight, generator);
  Register("weight", weight);
}

Tensor Embedding::Forward(Tensor index) { return lemma::Embedding(std::move(index), weight); }

}  // namespace lemma::nn
