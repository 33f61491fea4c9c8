// Which formula GELU uses; see autograd/kernels/gelu.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_GELU_FORM_H_
#define LEMMA_AUTOGRAD_KERNELS_GELU_FORM_H_

namespace lemma::kernels {

enum class GeluForm { kExact, kTanh };

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_GELU_FORM_H_
