// Threads are ours, not Eigen's.
#define EIGEN_DONT_PARALLELIZE

#include "autograd/kernels/eigen/matmul.h"

#include <algorithm>

#include "Eigen/Core"
#include "autograd/kernels/parallel.h"

namespace lemma::kernels::eigen {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ColMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>;
using Line = Eigen::OuterStride<>;

// Calls fn with `matrix` as an Eigen map of its order.
template <typename Fn>
void WithMap(const Matrix& matrix, int64_t rows, int64_t cols, const Fn& fn) {
  if (matrix.transposed) {
    fn(Eigen::Map<const ColMajor, 0, Line>(matrix.data, rows, cols, Line(matrix.line)));
  } else {
    fn(Eigen::Map<const RowMajor, 0, Line>(matrix.data, rows, cols, Line(matrix.line)));
  }
}

void Rows(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, double* c,
          int64_t c_row, const double* bias, bool accumulate) {
  Eigen::Map<RowMajor, 0, Line> out(c, m, n, Line(c_row));
  if (!accumulate) out.setZero();
  if (bias != nullptr) out.rowwise() += Eigen::Map<const Eigen::RowVectorXd>(bias, n);
  WithMap(a, m, k, [&](const auto& a_map) {
    WithMap(b, k, n, [&](const auto& b_map) { out.noalias() += a_map * b_map; });
  });
}

}  // namespace

void MatMul(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, double* c,
            int64_t c_row, const double* bias, bool accumulate) {
  constexpr double kMultiplyAddsPerPiece = 500e3;
  const double per_row = static_cast<double>(n) * static_cast<double>(k);
  const auto rows = static_cast<int64_t>(std::max(1.0, kMultiplyAddsPerPiece / per_row));
  const int64_t piece_rows = std::max<int64_t>((rows + 7) / 8 * 8, (m + 63) / 64);
  ParallelChunks(m, piece_rows, [&](int64_t, int64_t begin, int64_t end) {
    Matrix a_rows = a;
    a_rows.data += begin * (a.transposed ? 1 : a.line);
    Rows(end - begin, n, k, a_rows, b, c + begin * c_row, c_row, bias, accumulate);
  });
}

}  // namespace lemma::kernels::eigen
