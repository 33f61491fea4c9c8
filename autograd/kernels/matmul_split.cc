#include "autograd/kernels/matmul_split.h"

#include <algorithm>
#include <limits>

namespace lemma::kernels {
namespace {

// Nanoseconds on one core, fitted to some 800 pieces of the models' layers measured with AVX-512.
// Only their ratios matter.
constexpr double kPerMultiplyAdd = 1.0 / 85;
constexpr double kPerElementOfA = 0.09;  // read, or copied into the kernel's layout
constexpr double kPerElementOfTransposedA = 0.27;
constexpr double kPerElementOfB = 0.04;
constexpr double kPerElementOfBUnderTransposedA = 0.10;
constexpr double kPerElementOfFarB = 0.21;  // transposed, or too much for the L2
constexpr double kPerPiece = 325;
constexpr double kPerRegion = 1500;  // waking and joining threads

// Elements of the columns of b that a piece reads again and again, beyond which they leave the L2.
constexpr double kMaxPanel = 320e3;

// Narrower pieces than this are slow: the kernels run 64 columns at a time.
constexpr int64_t kMinCols = 128;

// Products with less work than this stay whole.
constexpr double kMinMultiplyAdds = 400e3;
constexpr int64_t kMaxPieces = 1024;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One side cut into `parts` nearly equal parts, each but the last a multiple of `unit`.
int64_t PartSize(int64_t side, int64_t parts, int64_t unit) {
  return std::min(side, CeilDiv(CeilDiv(side, parts), unit) * unit);
}

// The depth of the float32 product that takes as long.
double Depth(const MatMulShape& s) { return static_cast<double>(s.k) / (s.bfloat16 ? 4 : 1); }

double PieceTime(const MatMulShape& s, double rows, double cols) {
  double sums = rows * cols * Depth(s) * kPerMultiplyAdd * (1 + 2 / rows + 14 / cols);
  const bool far = !s.a_transposed && cols * s.k > kMaxPanel;
  if (far) sums *= 1.06;
  const double a = rows * s.k * (s.a_transposed ? kPerElementOfTransposedA : kPerElementOfA);
  const double b = cols * s.k *
                   (far || s.b_transposed ? kPerElementOfFarB
                    : s.a_transposed      ? kPerElementOfBUnderTransposedA
                                          : kPerElementOfB);
  return sums + a + b + kPerPiece;
}

// The time of `pieces` equal pieces on 1 to 4 threads, each against its own ideal; most users have
// few cores, and 2 threads count most.
double Score(double piece_time, int64_t pieces) {
  constexpr double kWeights[] = {1, 6, 1, 1};
  double score = 0;
  for (int64_t threads = 1; threads <= 4; ++threads) {
    const double time = CeilDiv(pieces, threads) * piece_time + (threads > 1 ? kPerRegion : 0);
    score += kWeights[threads - 1] * threads * time;
  }
  return score;
}

}  // namespace

MatMulSplit SplitMatMul(const MatMulShape& shape) {
  const double multiply_adds = static_cast<double>(shape.m) * shape.n * Depth(shape);
  if (multiply_adds * shape.batch < 2 * kMinMultiplyAdds) {
    return {shape.batch, shape.m, shape.n};
  }
  if (multiply_adds < 2 * kMinMultiplyAdds) {
    const auto group = static_cast<int64_t>(kMinMultiplyAdds / multiply_adds) + 1;
    return {PartSize(shape.batch, CeilDiv(shape.batch, group), 1), shape.m, shape.n};
  }
  MatMulSplit best = {1, shape.m, shape.n};
  double best_score = std::numeric_limits<double>::infinity();
  for (int64_t row_parts = 1; row_parts <= CeilDiv(shape.m, 32); ++row_parts) {
    const int64_t rows = PartSize(shape.m, row_parts, 16);
    for (int64_t col_parts = 1; col_parts <= CeilDiv(shape.n, 64); ++col_parts) {
      const int64_t cols = PartSize(shape.n, col_parts, 64);
      const int64_t pieces = CeilDiv(shape.m, rows) * CeilDiv(shape.n, cols);
      if (pieces > kMaxPieces || cols < std::min(kMinCols, shape.n)) break;
      if (pieces > 1 && static_cast<double>(rows) * cols * Depth(shape) < kMinMultiplyAdds) break;
      const double score = Score(PieceTime(shape, rows, cols), pieces * shape.batch);
      if (score < best_score) best_score = score, best = {1, rows, cols};
    }
  }
  return best;
}

}  // namespace lemma::kernels
