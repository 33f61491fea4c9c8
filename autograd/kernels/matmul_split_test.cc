#include "autograd/kernels/matmul_split.h"

#include <cstdint>
#include <random>

#include "autograd/kernels/parallel.h"
#include "gtest/gtest.h"

namespace lemma::kernels {
namespace {

int64_t Pieces(const MatMulShape& shape) {
  const MatMulSplit split = SplitMatMul(shape);
  return NumChunks(shape.batch, split.batch) * NumChunks(shape.m, split.rows) *
         NumChunks(shape.n, split.cols);
}

TEST(SplitMatMul, PiecesLieInsideTheProduct) {
  std::mt19937 engine(1);
  for (int i = 0; i < 300; ++i) {
    const auto size = [&] { return 1 + static_cast<int64_t>(engine() % (1u << engine() % 12)); };
    const MatMulShape shape = {size(),           size(), size(), size(), engine() % 2 == 0,
                               engine() % 2 == 0};
    const MatMulSplit split = SplitMatMul(shape);
    EXPECT_GE(split.batch, 1);
    EXPECT_LE(split.batch, shape.batch);
    EXPECT_GE(split.rows, 1);
    EXPECT_LE(split.rows, shape.m);
    EXPECT_GE(split.cols, 1);
    EXPECT_LE(split.cols, shape.n);
    if (split.batch > 1) {
      EXPECT_EQ(split.rows, shape.m);
      EXPECT_EQ(split.cols, shape.n);
    }
  }
}

TEST(SplitMatMul, ASmallProductStaysWhole) {
  EXPECT_EQ(Pieces({1, 16, 16, 16, false, false}), 1);
  EXPECT_EQ(Pieces({8, 16, 16, 16, false, true}), 1);
}

TEST(SplitMatMul, SmallProductsOfALargeBatchStayTogether) {
  const MatMulSplit split = SplitMatMul({1000, 16, 16, 16, false, false});
  EXPECT_GT(split.batch, 10);
  EXPECT_LT(split.batch, 500);
}

TEST(SplitMatMul, LayersOfModelsHaveWorkForTwoThreads) {
  constexpr int64_t kLayers[][3] = {{64, 128, 384},    {64, 128, 128},    {64, 512, 128},
                                    {768, 128, 384},   {768, 512, 128},   {4096, 128, 512},
                                    {4096, 384, 1152}, {4096, 1536, 384}, {1024, 768, 3072},
                                    {1024, 768, 50257}};
  for (const auto& [rows, in, out] : kLayers) {
    for (const MatMulShape& shape :
         {MatMulShape{1, rows, out, in, false, true}, MatMulShape{1, rows, in, out, false, false},
          MatMulShape{1, out, in, rows, true, false}}) {
      const int64_t pieces = Pieces(shape);
      EXPECT_GE(pieces, 2) << shape.m << " x " << shape.n << " x " << shape.k;
      EXPECT_LE(pieces, 1024);
    }
  }
}

TEST(SplitMatMul, TheSumIsNeverCutHoweverLong) {
  const MatMulSplit split = SplitMatMul({1, 16, 16, 1 << 20, true, false});
  EXPECT_EQ(split.rows, 16);
  EXPECT_EQ(split.cols, 16);
}

}  // namespace
}  // namespace lemma::kernels
