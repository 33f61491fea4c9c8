#include "autograd/kernels/matmul_split.h"

#include <algorithm>
#include <limits>

namespace lemma::kernels {
namespace {

// Nanoseconds on one core, measured with AVX-512. Only their ratios matter.
constexpr double kPerMultiplyAdd = 1.0 / 70;
constexpr double kPerCopied = 0.08;  // an element of an operand read in its own layout
constexpr double kPerCopiedTransposed = 0.15;
constexpr double kPerPiece = 500;
constexpr double kPerRegion = 1500;  // waking and joining threads

// Products with less work than this stay whole.
constexpr double kMinMultiplyAdds = 400e3;
constexpr int64_t kMaxPieces = 1024;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One side cut into `parts` nearly equal parts, each but the last a multiple of `unit`.
int64_t PartSize(int64_t side, int64_t parts, int64_t unit) {
  return std::min(side, CeilDiv(CeilDiv(side, parts), unit) * unit);
}

double PieceTime(const MatMulShape& s, double rows, double cols) {
  const double sums = rows * cols * s.k * kPerMultiplyAdd * (1 + 4 / rows + 12 / cols);
  const double a = rows * s.k * (s.a_transposed ? kPerCopiedTransposed : kPerCopied / 4);
  const double b = cols * s.k * (s.b_transposed ? kPerCopiedTransposed : kPerCopied);
  return sums + a + b + kPerPiece;
}

// The time of `pieces` equal pieces on 1 to 4 threads, each against its own ideal; most users have
// few cores, and 2 threads count most.
double Score(double piece_time, int64_t pieces) {
  constexpr double kWeights[] = {1, 3, 1, 1};
  double score = 0;
  for (int64_t threads = 1; threads <= 4; ++threads) {
    const double time = CeilDiv(pieces, threads) * piece_time + (threads > 1 ? kPerRegion : 0);
    score += kWeights[threads - 1] * threads * time;
  }
  return score;
}

}  // namespace

MatMulSplit SplitMatMul(const MatMulShape& shape) {
  const double multiply_adds = static_cast<double>(shape.m) * shape.n * shape.k;
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
      if (pieces > kMaxPieces) break;
      if (pieces > 1 && static_cast<double>(rows) * cols * shape.k < kMinMultiplyAdds) break;
      const double score = Score(PieceTime(shape, rows, cols), pieces * shape.batch);
      if (score < best_score) best_score = score, best = {1, rows, cols};
    }
  }
  return best;
}

}  // namespace lemma::kernels
