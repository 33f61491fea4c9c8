#include <cstdint>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/join.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "d out_i / d x_j is 0 for j > i, and not for j <= i.",
     .source = "Step 4, Proposition 5.1",
     .exact =
         "exactly 0, for the definition and for the fused kernel, and for other sequences of the "
         "batch; not 0 for random parameters and inputs"});

// The gradient of the sum over out_i of sequence 0, and of its copy by the kernel: (B, T, C).
Tensor GradientOfOutput(const HeadFunction& output, Example& e, int64_t i) {
  Tensor x = e.x.Detach().SetRequiresGrad(true);
  const Tensor row = Select(output(e.head, x), 1, i);  // (2B, d_k), sequence 0 at 0 and at B
  const Tensor of_first = Concat({Select(row, 0, 0), Select(row, 0, -x.size(0))}, 0);
  return Grad({Sum(of_first)}, {x})[0];
}

std::vector<Measurement> GradientIsCausal(const HeadFunction& output) {
  Example example(Case{});
  const Tensor course = GradientOfOutput(output, example, 3);
  const Tensor reach = Sum(Abs(Slice(Select(course, 0, 0), 0, 0, 4)), {1});  // (4)
  int64_t later = 0, not_reached = 0;
  for (const Case& c : Cases()) {
    Example e(c);
    const int64_t i = static_cast<int64_t>(RandInt(0, c.time, {1}, e.generator).Item());
    const Tensor gradient = GradientOfOutput(output, e, i);
    const Tensor seen = Sum(Abs(Slice(Select(gradient, 0, 0), 0, 0, i + 1)), {1});
    later += CountNonZero(Slice(gradient, 1, i + 1)) + CountNonZero(Slice(gradient, 0, 1));
    not_reached += i + 1 - CountNonZero(seen);
  }
  return {
      Exactly("elements of d out_3 / d x_4..7 that are not 0", CountNonZero(Slice(course, 1, 4)),
              0),
      AtLeast("least |d out_3 / d x_j| (1-norm) for j = 0..3", Smallest(reach), 1e-2),
      Exactly("elements of d out_i / d x_j, random i < j or another sequence, that are not 0, all "
              "heads",
              later, 0),
      Exactly("positions j <= i with d out_i / d x_j = 0, all heads", not_reached, 0)};
}

TEST(Gradient, VanishesAtLaterPositions) { ExpectHolds(GradientIsCausal(Output)); }

TEST(Gradient, GoesRedWithoutTheMask) { ExpectBroken(GradientIsCausal(UnmaskedOutput)); }

// The normaliser of the softmax sees the future, though A is lower triangular.
TEST(Gradient, GoesRedWithTheMaskAfterTheSoftmax) {
  ExpectBroken(GradientIsCausal([](Head& head, const Tensor& x) {
    const Tensor hidden = LogicalNot(CausalMask(x.size(1)));
    const Tensor a = MaskedFill(Softmax(head.Scores(x), -1), hidden, 0);
    const Tensor y = MatMul(a, head.value(x));
    return Concat({y, y}, 0);
  }));
}

}  // namespace
}  // namespace lemma::propositions
