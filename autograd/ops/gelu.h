// GELU, the Gaussian error linear unit: x Phi(x), with Phi the normal distribution function.
//
//   Tensor y = Gelu(x);                       // exact, as torch.nn.functional.gelu
//   Tensor z = Gelu(x, GeluForm::kTanh);      // as GPT-2
//
// The tanh form is x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))), up to 4.8e-4 away. x is of a
// float type. Hendrycks, Gimpel: Gaussian Error Linear Units, arXiv:1606.08415.
#ifndef LEMMA_AUTOGRAD_OPS_GELU_H_
#define LEMMA_AUTOGRAD_OPS_GELU_H_

#include "autograd/kernels/gelu_form.h"
#include "autograd/op.h"
#include "autograd/tensor.h"

namespace lemma {

using kernels::GeluForm;

Tensor Gelu(Tensor x, GeluForm form = GeluForm::kExact);

extern const OpDef kGelu;

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_OPS_GELU_H_
