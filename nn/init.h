// Initial values of parameters. Each function fills a contiguous parameter in place.
#ifndef LEMMA_NN_INIT_H_
#define LEMMA_NN_INIT_H_

#include <cstdint>

#include "autograd/random.h"
#include "autograd/tensor.h"

namespace lemma::nn::init {

void Zeros(Tensor& parameter);
void Ones(Tensor& parameter);
void Constant(Tensor& parameter, double value);
void Normal(Tensor& parameter, Generator& generator, double mean = 0, double std = 1);
void Uniform(Tensor& parameter, Generator& generator, double low = 0, double high = 1);

// Uniform in +-1/sqrt(fan_in): torch.nn.Linear's rule for weight and bias, which for the weight is
// kaiming_uniform_(a = sqrt(5)). He et al., arXiv:1502.01852, with the gain of a leaky ReLU of
// slope sqrt(5): sqrt(2 / (1 + 5)).
void LinearUniform(Tensor& parameter, int64_t fan_in, Generator& generator);

// Kaiming's rule for ReLU-like nets: std (normal) or bound/sqrt(3) (uniform) = gain / sqrt(fan_in)
// with gain sqrt(2 / (1 + slope^2)); fan_in is the product of all dimensions but the first.
void KaimingNormal(Tensor& parameter, Generator& generator, double slope = 0);
void KaimingUniform(Tensor& parameter, Generator& generator, double slope = 0);

// Glorot and Bengio's rule: variance 2 / (fan_in + fan_out).
void XavierNormal(Tensor& parameter, Generator& generator, double gain = 1);
void XavierUniform(Tensor& parameter, Generator& generator, double gain = 1);

}  // namespace lemma::nn::init

#endif  // LEMMA_NN_INIT_H_
