// Nothing of the samples is passed over in silence: each is compared or left out by name, and what
// is left out could not be compared.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "absl/strings/str_format.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/maximum.h"
#include "autograd/ops/pow.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"
#include "tests/torch_ops/agreement.h"
#include "tests/torch_ops/samples.h"
#include "tests/torch_ops/table.h"

namespace lemma::torch_ops {
namespace {

TEST(TorchOpsTable, MapsOrLeavesOutEveryOperator) {
  for (const std::string& op : Samples::Get().operators()) {
    if (op == "edge") continue;
    const bool mapped = FindOperator(op), left_out = FindLeftOut(What::kOperator, op);
    EXPECT_TRUE(mapped != left_out) << op << " is " << (mapped ? "both" : "neither");
  }
  for (int i = 0; i < Samples::Get().NumSamples("edge"); ++i) {
    EXPECT_TRUE(FindOperator(Samples::Get().OperatorOf("edge", i))) << "edge, sample " << i;
  }
}

TEST(TorchOpsTable, NamesOnlyOperatorsOfTheSamples) {
  for (const Operator& op : Operators()) EXPECT_TRUE(Samples::Get().Has(op.name)) << op.name;
}

TEST(TorchOpsTable, LeavesOutOnlyWhatExistsAndCannotBeCompared) {
  const Samples& samples = Samples::Get();
  for (const LeftOut& entry : AllLeftOut()) {
    SCOPED_TRACE(absl::StrFormat("%s %d, left out: %s", entry.op, entry.index, entry.reason));
    EXPECT_EQ(FindLeftOut(entry.what, entry.op, entry.index), &entry) << "it is named twice";
    ASSERT_TRUE(samples.Has(entry.op));
    switch (entry.what) {
      case What::kOperator:
        EXPECT_EQ(entry.index, -1);
        EXPECT_FALSE(FindOperator(entry.op));
        break;
      case What::kSample:
        ASSERT_LT(entry.index, samples.NumSamples(entry.op));
        EXPECT_NE(Disagreement(entry.op, entry.index, DType::kFloat64), "") << "it agrees now";
        break;
      case What::kInFloat32:
        ASSERT_LT(entry.index, samples.NumSamples(entry.op));
        EXPECT_EQ(Disagreement(entry.op, entry.index, DType::kFloat64), "");
        EXPECT_NE(Disagreement(entry.op, entry.index, DType::kFloat32), "") << "it agrees now";
        break;
      case What::kRefused:
        ASSERT_LT(entry.index, samples.NumRefused(entry.op));
        EXPECT_NE(Acceptance(entry.op, entry.index), "") << "it is refused now";
        break;
    }
  }
}

TEST(TorchOpsTable, CountsWhatAgreesAndWhatIsLeftOut) {
  const Samples& samples = Samples::Get();
  int agree = 0, samples_out = 0, refuse = 0, refused_out = 0, operators_out = 0, total = 0;
  for (const std::string& op : samples.operators()) {
    const bool whole = FindLeftOut(What::kOperator, op);
    operators_out += whole;
    total += samples.NumSamples(op);
    for (int i = 0; i < samples.NumSamples(op); ++i) {
      const bool out = whole || FindLeftOut(What::kSample, op, i);
      samples_out += out;
      agree += !out && Disagreement(op, i, DType::kFloat64).empty();
    }
    for (int i = 0; i < samples.NumRefused(op); ++i) {
      const bool out = whole || FindLeftOut(What::kRefused, op, i);
      refused_out += out;
      refuse += !out && Acceptance(op, i).empty();
    }
  }
  absl::PrintF("%d operators, %d of them left out whole\n", samples.operators().size(),
               operators_out);
  absl::PrintF("samples: %d agree, %d left out\n", agree, samples_out);
  absl::PrintF("refused calls: %d refused, %d left out\n", refuse, refused_out);
  EXPECT_EQ(total, 577);
  EXPECT_EQ(agree + samples_out, 577);
  EXPECT_EQ(refuse + refused_out, 98);
}

// What "there is no overload for it" claims: a number may be the second argument, not the first.
template <typename Function>
constexpr bool TakesNumberSecondOnly(Function) {
  return std::is_invocable_v<Function, Tensor, double> &&
         !std::is_invocable_v<Function, double, Tensor> &&
         !std::is_invocable_v<Function, double, double>;
}
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(Equal(x, y)) { return {}; }));
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(NotEqual(x, y)) { return {}; }));
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(Less(x, y)) { return {}; }));
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(LessEqual(x, y)) {
  return {};
}));
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(Greater(x, y)) { return {}; }));
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(GreaterEqual(x, y)) {
  return {};
}));
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(Maximum(x, y)) { return {}; }));
static_assert(TakesNumberSecondOnly([](auto x, auto y) -> decltype(Minimum(x, y)) { return {}; }));

constexpr auto kPowCall = [](auto x, auto y) -> decltype(Pow(x, y)) { return {}; };
static_assert(std::is_invocable_v<decltype(kPowCall), double, Tensor>);
static_assert(!std::is_invocable_v<decltype(kPowCall), double, double>);
constexpr auto kGeluCall = [](auto x, auto form) -> decltype(Gelu(x, form)) { return {}; };
static_assert(std::is_invocable_v<decltype(kGeluCall), Tensor, GeluForm>);
static_assert(!std::is_invocable_v<decltype(kGeluCall), Tensor, const char*>);

TEST(Difference, IsSeenInShapeTypeAndElements) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const Tensor x = FromValues<double>({1, -100, nan, inf, 0});
  EXPECT_EQ(Difference(x, x, 0), "");
  EXPECT_EQ(Difference(FromValues<double>({1 + 9e-9, -100, nan, inf, -0.0}), x, 1e-10), "");
  EXPECT_NE(Difference(FromValues<double>({1 + 2e-8, -100, nan, inf, 0}), x, 1e-10), "");
  EXPECT_NE(Difference(FromValues<double>({1, -100, 0, inf, 0}), x, 1e-10), "");
  EXPECT_NE(Difference(FromValues<double>({1, nan, nan, inf, 0}), x, 1e-10), "");
  EXPECT_NE(Difference(FromValues<double>({1, -100, nan, -inf, 0}), x, 1e-10), "");
  EXPECT_NE(Difference(FromValues<double>({1, -100, nan, 1e300, 0}), x, 1e-10), "");
  EXPECT_NE(Difference(FromValues<double>({1, -100, nan, inf, 0}, {5, 1}), x, 0), "");
  EXPECT_NE(Difference(FromValues<int64_t>({1}), FromValues<double>({1}), 0), "");
}

TEST(Arguments, ThatNobodyReadsAreNotMapped) {
  const Arguments arguments({{int64_t{3}}}, {{"dim", {int64_t{1}}}});
  EXPECT_EQ(arguments.integer(0), 3);
  EXPECT_THROW(arguments.CheckAllRead(), NotMapped);
  EXPECT_EQ(arguments.integer(1, "dim"), 1);
  EXPECT_NO_THROW(arguments.CheckAllRead());
  EXPECT_THROW(arguments.tensor(0), NotMapped);
  EXPECT_THROW(arguments.integer(2, "keepdim"), NotMapped);
}

}  // namespace
}  // namespace lemma::torch_ops
