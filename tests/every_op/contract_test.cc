// What every op owes its callers: a derivative or none by intent, arguments that stay as they were,
// and results that do not depend on who owns an argument.

#include <set>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/node.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/registry.h"
#include "autograd/ops/views.h"
#include "autograd/shape.h"
#include "autograd/storage.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/every_op/every_op.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

class Contract : public EveryOp {};

// No gradient flows through these, because their results are steps.
const std::set<std::string> kConstant = {
    "argmax",     "argmin",      "equal",       "greater",    "greater_equal", "is_finite", "less",
    "less_equal", "logical_and", "logical_not", "logical_or", "not_equal",     "one_hot",   "sign"};

TEST_P(Contract, IsConstantOrHasADerivative) {
  ASSERT_NE(op().forward, nullptr);
  if (kConstant.count(op().name) > 0) {
    EXPECT_EQ(op().vjp, nullptr);
    EXPECT_EQ(op().composite, nullptr);
  } else {
    EXPECT_NE(op().vjp, nullptr) << op().name << " has no gradient, and is not in the list above";
  }
}

// So that no sample is one of something else.
TEST_P(Contract, IsCalledByItsSamples) {
  if (op().vjp == nullptr) GTEST_SKIP() << op().name << " leaves no trace in the graph";
  for (const Sample& sample : Samples()) {
    if (sample.large) continue;
    const List leaves = LeavesOf(sample.inputs);
    if (Wanted(leaves).empty() || !IsFloat(sample.call(leaves)[0].dtype())) continue;
    EXPECT_NE(FindNode(sample.call(leaves), op().name), nullptr) << sample.name;
  }
}

TEST_P(Contract, LeavesItsArgumentsAsTheyAre) {
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.name);
    for (const DType dtype : {DType::kFloat32, DType::kFloat64}) {
      const List inputs = InputsAs(sample, dtype);
      std::vector<std::string> bytes;
      std::vector<uint32_t> versions;
      for (const Tensor& x : inputs) {
        bytes.push_back(BytesOf(x));
        versions.push_back(x.defined() ? x.storage()->version() : 0);
      }
      Evaluate(sample, inputs, 81);
      sample.call(inputs);
      for (size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_TRUE(BytesOf(inputs[i]) == bytes[i]) << "input " << i;
        if (inputs[i].defined()) {
          EXPECT_EQ(inputs[i].storage()->version(), versions[i]) << "input " << i;
        }
      }
    }
  }
}

// An op may overwrite an argument that is given up, recorded or not; it must not show.
TEST_P(Contract, GivesTheSameWhenItsArgumentsAreGivenUp) {
  for (const Sample& sample : Samples()) {
    SCOPED_TRACE(sample.name);
    for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16}) {
      if (dtype == DType::kBFloat16 && !sample.has_bfloat16) continue;
      const List inputs = InputsAs(sample, dtype);
      const List kept = sample.call(inputs);
      List given_up;
      for (const Tensor& x : inputs) given_up.push_back(CopyKeepingStrides(x));
      const List given = sample.call(std::move(given_up));
      for (size_t i = 0; i < kept.size(); ++i) {
        EXPECT_TRUE(BytesOf(kept[i]) == BytesOf(given[i])) << Name(dtype) << ", output " << i;
      }
    }
  }
}

// Calls the op with results of `make` for arguments, and their only handles moved in, or not.
void ExpectTheSameWhenGivenUp(const std::vector<Sample>& samples, Tensor (*make)(const Tensor&)) {
  for (const Sample& sample : samples) {
    if (sample.large || !HasFloat64(sample.inputs)) continue;
    SCOPED_TRACE(sample.name);
    Sample moving = sample;
    moving.call = [&](List in) {
      for (Tensor& x : in) {
        if (x.defined() && IsFloat(x.dtype())) x = make(x);
      }
      return sample.call(std::move(in));
    };
    Sample keeping = sample;
    List held;
    keeping.call = [&](List in) {
      for (Tensor& x : in) {
        if (x.defined() && IsFloat(x.dtype())) x = make(x);
        held.push_back(x);
      }
      return sample.call(in);
    };
    const ValuesAndGradients kept = Evaluate(keeping, sample.inputs, 82);
    const ValuesAndGradients moved = Evaluate(moving, sample.inputs, 82);
    for (size_t i = 0; i < kept.outputs.size(); ++i) {
      EXPECT_TRUE(BytesOf(moved.outputs[i]) == BytesOf(kept.outputs[i])) << "output " << i;
    }
    for (size_t i = 0; i < kept.gradients.size(); ++i) {
      EXPECT_TRUE(BytesOf(moved.gradients[i]) == BytesOf(kept.gradients[i])) << "gradient " << i;
    }
  }
}

TEST_P(Contract, HasTheSameGradientsWhenItsArgumentsAreGivenUp) {
  ExpectTheSameWhenGivenUp(Samples(), [](const Tensor& x) { return Clone(x); });
}

// A conversion is cheap: what is saved of it is a recipe, and its memory is free to be overwritten.
TEST_P(Contract, HasTheSameGradientsWhenItsArgumentsAreSavedAsRecipes) {
  ExpectTheSameWhenGivenUp(Samples(), [](const Tensor& x) { return Cast(x, DType::kFloat32); });
}

// Of two arguments that broadcast, the result has NumPy's shape.
TEST_P(Contract, BroadcastsByTheRule) {
  static const std::set<std::string> kBroadcast = {
      "add",           "sub",         "mul",         "div",       "maximum",    "minimum",
      "pow",           "equal",       "less",        "not_equal", "less_equal", "greater",
      "greater_equal", "masked_fill", "logical_and", "logical_or"};
  if (kBroadcast.count(op().name) == 0) GTEST_SKIP() << op().name << " has a rule of its own";
  int stretched = 0;
  for (const Sample& sample : Samples()) {
    if (sample.inputs.size() != 2) continue;
    Shape expected;
    ASSERT_TRUE(Broadcast(sample.inputs[0].shape(), sample.inputs[1].shape(), &expected));
    EXPECT_EQ(sample.call(sample.inputs)[0].shape().ToString(), expected.ToString()) << sample.name;
    stretched += expected != sample.inputs[0].shape() || expected != sample.inputs[1].shape();
  }
  EXPECT_GT(stretched, 0) << op().name << " has no sample that broadcasts";
}

// Forwards, backwards and their graphs leave nothing behind.
TEST_P(Contract, LeavesNoMemoryBehind) {
  const std::vector<Sample> samples = Samples();
  for (const Sample& sample : samples) {
    if (sample.large) continue;
    const int64_t before = GetMemoryStats().current_bytes;
    Evaluate(sample, sample.inputs, 83);
    EXPECT_EQ(GetMemoryStats().current_bytes, before) << sample.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Contract, ::testing::ValuesIn(AllOps()), OpName());

}  // namespace
}  // namespace lemma::every_op
