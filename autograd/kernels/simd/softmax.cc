#include "autograd/kernels/simd/softmax.h"

#include "autograd/kernels/reference/softmax.h"

namespace lemma::kernels::simd {

void SoftmaxForward(int64_t rows, int64_t columns, const float* x, float* y) {
  reference::SoftmaxForward<float>(rows, columns, x, y);
}

void SoftmaxBackward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
                     bool accumulate) {
  reference::SoftmaxBackward<float>(rows, columns, dy, y, dx, accumulate);
}

void LogSoftmaxForward(int64_t rows, int64_t columns, const float* x, float* y) {
  reference::LogSoftmaxForward<float>(rows, columns, x, y);
}

void LogSoftmaxBackward(int64_t rows, int64_t columns, const float* dy, const float* y, float* dx,
                        bool accumulate) {
  reference::LogSoftmaxBackward<float>(rows, columns, dy, y, dx, accumulate);
}

}  // namespace lemma::kernels::simd
