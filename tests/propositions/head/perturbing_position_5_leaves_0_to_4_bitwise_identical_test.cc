#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/join.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "gtest/gtest.h"
#include "tests/propositions/head/head.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Another input at position j leaves every output before j bitwise identical and "
                  "changes every output from j on.",
     .source = "Step 4, Proposition 5.1",
     .exact =
         "bitwise, for finite inputs, for the definition (0 times a value is added) and for the "
         "fused kernel; for the kernel also where position j becomes NaN"});

// x (B, T, C) with `row` (B, 1, C) at position j.
Tensor Replace(const Tensor& x, int64_t j, const Tensor& row) {
  return Concat({Slice(x, 1, 0, j), row, Slice(x, 1, j + 1)}, 1);
}

struct Change {
  int64_t bits_before = 0;      // elements of outputs before j that change in a bit
  double least_after = 0;       // of the outputs from j on: the least of their largest changes
  int64_t unchanged_after = 0;  // outputs from j on that stay as they are
};

Change ChangeAt(const HeadFunction& output, Example& e, int64_t j) {
  const Tensor other = RandN({e.x.size(0), 1, e.x.size(2)}, e.generator);
  const Tensor before = output(e.head, e.x), after = output(e.head, Replace(e.x, j, other));
  const Tensor largest = AMax(Abs(Slice(after - before, 1, j)), {2});  // (2B, T - j)
  return {.bits_before = CountDifferentBits(Slice(before, 1, 0, j), Slice(after, 1, 0, j)),
          .least_after = Smallest(largest),
          .unchanged_after = largest.numel() - CountNonZero(largest)};
}

std::vector<Measurement> EarlierOutputsStay(const HeadFunction& output) {
  Example example(Case{});
  const Change course = ChangeAt(output, example, 5);
  Change all;
  for (const Case& c : Cases()) {
    Example e(c);
    const int64_t j = static_cast<int64_t>(RandInt(0, c.time, {1}, e.generator).Item());
    const Change change = ChangeAt(output, e, j);
    all.bits_before += change.bits_before;
    all.unchanged_after += change.unchanged_after;
  }
  return {Exactly("elements of outputs 0..4 whose bits change with x_5", course.bits_before, 0),
          AtLeast("least change of an output 5..7", course.least_after, 1e-2),
          Exactly("elements before a random j whose bits change, all heads", all.bits_before, 0),
          Exactly("outputs from j on that stay as they were, all heads", all.unchanged_after, 0)};
}

TEST(Perturbation, LeavesEarlierOutputsBitwiseIdentical) {
  ExpectHolds(EarlierOutputsStay(Output));
}

// 0 times NaN is NaN, so the definition passes one on; the kernel never reads a hidden value.
TEST(Perturbation, NaNReachesNoEarlierOutputOfTheKernel) {
  Example e(Case{});
  const Tensor nan = Replace(e.x, 5, Full({4, 1, 32}, NAN));
  const auto earlier = [](const Tensor& y) { return Slice(y, 1, 0, 5); };
  const Tensor defined = earlier(e.head.Define(nan, {.causal = true}));
  ExpectHolds({Exactly("elements of the kernel's outputs 0..4 whose bits change where x_5 is NaN",
                       CountDifferentBits(earlier(e.head(e.x)), earlier(e.head(nan))), 0),
               AtLeast("elements of the definition's that become NaN",
                       CountNonZero(LogicalNot(IsFinite(defined))), 1)});
}

TEST(Perturbation, GoesRedWithoutTheMask) { ExpectBroken(EarlierOutputsStay(UnmaskedOutput)); }

// A is lower triangular, and yet the future leaks through the scale of the inputs.
TEST(Perturbation, GoesRedWithANormOverTime) {
  ExpectBroken(EarlierOutputsStay([](Head& head, const Tensor& x) {
    return Output(head, x / Norm(x, 2, {1}, /*keepdim=*/true));
  }));
}

TEST(Perturbation, GoesRedWhereOutputsSeeTheFirstInputAlone) {
  ExpectBroken(EarlierOutputsStay([](Head& head, const Tensor& x) {
    return head.Forward(x, {.mask = Expand(Equal(Arange(x.size(1)), 0), {x.size(1), x.size(1)})});
  }));
}

}  // namespace
}  // namespace lemma::propositions
