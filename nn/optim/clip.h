// Clipping of gradients by their global norm. Pascanu et al., arXiv:1211.5063.
#ifndef LEMMA_NN_OPTIM_CLIP_H_
#define LEMMA_NN_OPTIM_CLIP_H_

#include <vector>

#include "autograd/tensor.h"

namespace lemma::optim {

// The 2-norm of all gradients together, summed in double; parameters without one count as 0.
double GradNorm(const std::vector<Tensor>& parameters);

// min(1, max_norm / (norm + 1e-6)): what Optimizer::Step takes to clip without a pass of its own.
double ClipFactor(double norm, double max_norm);

// Replaces each gradient by a scaled copy and returns the norm that they had, as
// torch.nn.utils.clip_grad_norm_ does in place.
double ClipGradNorm(const std::vector<Tensor>& parameters, double max_norm);

}  // namespace lemma::optim

#endif  // LEMMA_NN_OPTIM_CLIP_H_
