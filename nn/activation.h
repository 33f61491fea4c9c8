// Activations as modules, for a Sequential; the ops are in autograd/ops.
#ifndef LEMMA_NN_ACTIVATION_H_
#define LEMMA_NN_ACTIVATION_H_

#include <utility>

#include "autograd/kernels/gelu_form.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/softmax.h"
#include "nn/module.h"

namespace lemma::nn {

class Gelu : public Layer<Gelu> {
 public:
  explicit Gelu(GeluForm form = GeluForm::kExact) : form_(form) {}
  const char* type() const override { return "Gelu"; }
  Tensor Forward(Tensor x) { return lemma::Gelu(std::move(x), form_); }

 private:
  const GeluForm form_;
};

class Relu : public Layer<Relu> {
 public:
  const char* type() const override { return "Relu"; }
  Tensor Forward(Tensor x) { return lemma::Relu(std::move(x)); }
};

class Silu : public Layer<Silu> {
 public:
  const char* type() const override { return "Silu"; }
  Tensor Forward(Tensor x) { return lemma::Silu(std::move(x)); }
};

class Tanh : public Layer<Tanh> {
 public:
  const char* type() const override { return "Tanh"; }
  Tensor Forward(Tensor x) { return lemma::Tanh(std::move(x)); }
};

class Sigmoid : public Layer<Sigmoid> {
 public:
  const char* type() const override { return "Sigmoid"; }
  Tensor Forward(Tensor x) { return lemma::Sigmoid(std::move(x)); }
};

class Softmax : public Layer<Softmax> {
 public:
  explicit Softmax(int64_t dim) : dim_(dim) {}
  const char* type() const override { return "Softmax"; }
  Tensor Forward(Tensor x) { return lemma::Softmax(std::move(x), dim_); }

 private:
  const int64_t dim_;
};

}  // namespace lemma::nn

#endif  // LEMMA_NN_ACTIVATION_H_
