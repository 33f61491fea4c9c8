// Dropout of elements while training.
#ifndef LEMMA_NN_DROPOUT_H_
#define LEMMA_NN_DROPOUT_H_

#include "autograd/random.h"
#include "autograd/tensor.h"
#include "nn/module.h"

namespace lemma::nn {

// While training, each element vanishes with probability p and the others are divided by 1 - p;
// after Eval(), and for p = 0, x is returned and nothing is drawn. The generator must outlive the
// module; it is one of its own, apart from that of the initial values.
class Dropout : public Layer<Dropout> {
 public:
  Dropout(double p, Generator* generator);

  const char* type() const override { return "Dropout"; }
  Tensor Forward(Tensor x);

  double p() const { return p_; }
  bool IsActive() const { return training() && p_ > 0; }
  // A mask for an op that applies it itself, float32 of 0 and 1; undefined while not active.
  Tensor Mask(const Shape& shape);
  // 1 / (1 - p).
  double scale() const;

 private:
  const double p_;
  Generator* const generator_;
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_DROPOUT_H_
