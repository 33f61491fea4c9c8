// The functions that the unary kernels know; see autograd/kernels/unary.h.
#ifndef LEMMA_AUTOGRAD_KERNELS_UNARY_FUNCTION_H_
#define LEMMA_AUTOGRAD_KERNELS_UNARY_FUNCTION_H_

namespace lemma::kernels {

enum class UnaryFunction {
  kExp,
  kLog,
  kTanh,
  kSigmoid,  // 1 / (1 + exp(-x))
  kErf,
  kSilu,  // x * sigmoid(x)
  kRelu,  // max(x, 0); its derivative at 0 is 0, NaN stays NaN
};

// Whether the backward reads the function's input; if not, it reads its output.
constexpr bool NeedsInput(UnaryFunction function) {
  return function == UnaryFunction::kLog || function == UnaryFunction::kErf ||
         function == UnaryFunction::kSilu;
}

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_UNARY_FUNCTION_H_
