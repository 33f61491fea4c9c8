#include <iostream>
#include <vector>

#include "autograd/create.h"
#include "autograd/functional.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"
#include "tests/propositions/singular_values.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The Jacobian of a pre-norm block is (I + dG)(I + dF), with F = attn o ln1 and "
                  "G = mlp o ln2: each half adds to the identity. With the residual projections "
                  "drawn at 0.02 / sqrt(2 L) it is close to I, and so is that of 8 blocks: "
                  "gradients flow.",
     .source = "Step 5, 5.1-5.3; Lecture 5, section 3",
     .exact = "the identity up to rounding of float64; closeness to I at initialisation, for this "
              "seed"});

constexpr uint64_t kSeed = 24;
constexpr int64_t kTime = 4, kWidth = 16, kSize = kTime * kWidth;

models::GptConfig SmallConfig() {
  return {.vocab = 5, .context = kTime, .width = kWidth, .heads = 2, .layers = 8};
}

// d f / d x as a square matrix over the elements of x (1, T, C).
Tensor Matrix(const TensorFunction& f, const Tensor& x) {
  return Reshape(Jacobian(f, x), {kSize, kSize});
}

std::vector<Measurement> Measure(const BlockFunction& block) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  models::Gpt model(SmallConfig(), generator);
  model.To(DType::kFloat64);
  const Tensor x = RandN({1, kTime, kWidth}, generator, DType::kFloat64);
  const Tensor identity = Eye(kSize, DType::kFloat64);

  models::Block& first = model.blocks[0];
  const auto f = [&](const Tensor& z) { return first.attn(first.ln1(z)); };
  const auto g = [&](const Tensor& z) { return first.mlp(first.ln2(z)); };
  const Tensor jacobian = Matrix([&](const Tensor& z) { return block(first, z); }, x);
  const Tensor product = MatMul(identity + Matrix(g, x + f(x).Detach()), identity + Matrix(f, x));
  const Tensor stack = Matrix(
      [&](const Tensor& z) {
        Tensor y = z;
        for (size_t i = 0; i < model.blocks.size(); ++i) y = block(model.blocks[i], y);
        return y;
      },
      x);
  return {
      AtMost("largest entry of J - (I + dG)(I + dF)", LargestDifference(jacobian, product), 1e-12),
      AtLeast("largest entry of dF and dG together", LargestDifference(product, identity), 1e-4),
      AtMost("Frobenius norm of J - I, over that of I",
             EuclideanNorm(jacobian - identity) / EuclideanNorm(identity), 0.1),
      AtLeast("smallest singular value of 8 blocks", SingularValues(stack).back(), 0.5)};
}

TEST(BlockJacobian, IsIdentityPlus) { ExpectHolds(Measure(AsBuilt())); }

TEST(BlockJacobian, GoesRedForAPostNormBlock) {
  ExpectBroken(Measure([](models::Block& block, const Tensor& x) {
    const Tensor y = block.ln1(x + block.attn(x));
    return block.ln2(y + block.mlp(y));
  }));
}

TEST(BlockJacobian, GoesRedWithoutTheResiduals) {
  ExpectBroken(Measure([](models::Block& block, const Tensor& x) {
    return block.mlp(block.ln2(block.attn(block.ln1(x))));
  }));
}

}  // namespace
}  // namespace lemma::propositions
