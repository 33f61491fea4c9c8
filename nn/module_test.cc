// Modules, their state dicts, and initial values.
#include "nn/module.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/attention.h"
#include "nn/checkpoint.h"
#include "nn/init.h"
#include "nn/linear.h"
#include "nn/sequential.h"
#include "nn/state_dict.h"

namespace lemma::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> NamesOf(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string> names;
  for (const NamedTensor& named : tensors) names.push_back(named.name);
  return names;
}

// A scale of its own, an inner net, and a head whose weight is that of the net's first layer.
class Tied : public Layer<Tied> {
 public:
  explicit Tied(Generator& generator)
      : first({.in = 3, .out = 2}, generator), head({.in = 3, .out = 2, .bias = false}) {
    scale = Ones({3});
    Register("first", first);
    Register("head", head);
    Register("scale", scale);
    head.weight = first.weight;
  }
  const char* type() const override { return "Tied"; }
  Tensor Forward(Tensor x) { return first(x) + head(std::move(x)); }

  Linear first, head;
  Tensor scale;
};

TEST(Module, OwnParametersComeFirstAndTiedOnesOnce) {
  Generator generator(0);
  Tied tied(generator);
  EXPECT_THAT(NamesOf(tied.NamedParameters()), ElementsAre("scale", "first.weight", "first.bias"));
  EXPECT_EQ(tied.NumParameters(), 3 + 6 + 2);
}

TEST(Module, ToKeepsTiesAndDropsGradients) {
  Generator generator(0);
  Tied tied(generator);
  const std::vector<float> before = tied.first.weight.ToVector<float>();
  tied.first.weight.SetGrad(Ones({2, 3}));
  tied.To(DType::kFloat64);
  EXPECT_TRUE(tied.head.weight.IsSameAs(tied.first.weight));
  EXPECT_FALSE(tied.first.weight.grad().defined());
  EXPECT_THAT(NamesOf(tied.NamedParameters()), ElementsAre("scale", "first.weight", "first.bias"));
  for (const NamedTensor& named : tied.NamedParameters()) {
    EXPECT_EQ(named.value.dtype(), DType::kFloat64) << named.name;
  }
  tied.To(DType::kFloat32);
  EXPECT_TRUE(tied.head.weight.IsSameAs(tied.first.weight));
  EXPECT_EQ(tied.first.weight.ToVector<float>(), before);
  EXPECT_EQ(ErrorOf([&] { tied.To(DType::kInt64); }),
            "[Tied] dtype: parameters are of a float type, not int64");
}

TEST(Module, ToOfTheSameTypeKeepsTheLeaves) {
  Generator generator(0);
  Tied tied(generator);
  const Tensor weight = tied.first.weight;
  tied.To(DType::kFloat32);
  EXPECT_TRUE(tied.first.weight.IsSameAs(weight));
}

TEST(Module, FrozenParametersAreListedAndConvertedToo) {
  Generator generator(0);
  Tied tied(generator);
  tied.first.weight.SetRequiresGrad(false);
  tied.scale.SetRequiresGrad(false);
  EXPECT_THAT(NamesOf(tied.NamedParameters()), ElementsAre("scale", "first.weight", "first.bias"));
  EXPECT_EQ(tied.NumParameters(), 3 + 6 + 2);
  tied.To(DType::kFloat64);
  EXPECT_TRUE(tied.head.weight.IsSameAs(tied.first.weight));
  EXPECT_FALSE(tied.first.weight.requires_grad());
  EXPECT_TRUE(tied.first.bias.requires_grad());
}

// Keeps a mean of what it has seen, and how often it was called.
class Centre : public Layer<Centre> {
 public:
  explicit Centre(int64_t width)
      : scale(Ones({width})), mean(Zeros({width})), calls(Zeros({}, DType::kInt64)) {
    Register("scale", scale);
    RegisterBuffer("mean", mean);
    RegisterBuffer("calls", calls);
  }
  const char* type() const override { return "Centre"; }
  Tensor Forward(Tensor x) {
    if (training()) {
      const NoGrad no_grad;
      CopyFrom(mean, Mean(x, {0}));
      AddInPlace(calls, Ones({}, DType::kInt64));
    }
    return (x - mean) * scale;
  }
  // As Register is seen from outside.
  template <typename T>
  void Add(std::string name, T& member) {
    Register(std::move(name), member);
  }
  void AddBuffer(std::string name, Tensor& buffer) { RegisterBuffer(std::move(name), buffer); }

  Tensor scale;  // (width)
  Tensor mean;   // (width)
  Tensor calls;  // ()
};

TEST(Module, BuffersAreStateAndNoParameters) {
  Sequential net, other;
  net.Add<Centre>(2);
  Centre& copy = other.Add<Centre>(2);
  net(FromValues<float>({1, 2, 3, 6}, {2, 2}));
  EXPECT_THAT(NamesOf(net.NamedParameters()), ElementsAre("0.scale"));
  EXPECT_THAT(NamesOf(net.NamedBuffers()), ElementsAre("0.mean", "0.calls"));
  EXPECT_EQ(net.NumParameters(), 2);
  EXPECT_THAT(NamesOf(StateDict(net)), ElementsAre("0.scale", "0.mean", "0.calls"));

  EXPECT_EQ(LoadStateDict(other, StateDict(net)), absl::OkStatus());
  EXPECT_THAT(copy.mean.ToVector<float>(), ElementsAre(2, 4));
  EXPECT_EQ(copy.calls.Item(), 1);
  EXPECT_FALSE(copy.mean.requires_grad());
  EXPECT_EQ(LoadStateDict(other, net.NamedParameters()).message(),
            "the parameters do not fit the Sequential; missing: 0.mean, 0.calls");

  net.To(DType::kFloat64);
  const std::vector<NamedTensor> buffers = net.NamedBuffers();
  EXPECT_EQ(buffers[0].value.dtype(), DType::kFloat64);
  EXPECT_FALSE(buffers[0].value.requires_grad());
  EXPECT_EQ(buffers[1].value.dtype(), DType::kInt64);
}

TEST(Module, NamesAreTakenOnce) {
  Centre centre(2), child(2);
  Tensor more = Ones({1});
  for (const char* name : {"scale", "mean"}) {
    const std::string expected =
        std::string("[Module] Register: the name \"") + name +
        "\" is taken in this module; give each parameter, buffer and submodule one of its own";
    EXPECT_EQ(ErrorOf([&] { centre.Add(name, more); }), expected);
    EXPECT_EQ(ErrorOf([&] { centre.Add(name, child); }), expected);
    EXPECT_EQ(ErrorOf([&] { centre.AddBuffer(name, more); }), expected);
  }
  EXPECT_EQ(ErrorOf([&] { centre.Add("", more); }),
            "[Module] Register: a name is needed, such as \"fc\"");
  EXPECT_EQ(ErrorOf([&] { centre.Add("me", centre); }),
            "[Module] Register: \"me\" is the module itself");
  Tensor counts = Arange(3);
  EXPECT_EQ(ErrorOf([&] { centre.Add("counts", counts); }),
            "[Module] Register: \"counts\" is int64, and parameters are of a float type; "
            "RegisterBuffer takes any");
  more.SetRequiresGrad(true);
  EXPECT_EQ(ErrorOf([&] { centre.AddBuffer("more", more); }),
            "[Module] RegisterBuffer: \"more\" requires a gradient, which is what parameters do; "
            "call Register, or give it Detach()ed");
}

TEST(Module, ForEachVisitsParentsFirst) {
  Generator generator(0);
  Sequential outer;
  Sequential& inner = outer.Add<Sequential>();
  inner.Add<Linear>(LinearOptions{.in = 2, .out = 2}, generator);
  outer.Add<Linear>(LinearOptions{.in = 2, .out = 1}, generator);
  std::vector<std::string> paths;
  outer.ForEach([&](const std::string& path, Module& module) {
    paths.push_back(path + ":" + module.type());
  });
  EXPECT_THAT(paths, ElementsAre(":Sequential", "0:Sequential", "0.0:Linear", "1:Linear"));
}

TEST(Module, ErrorsCarryTheWholePath) {
  Generator generator(0);
  Sequential outer;
  Sequential& inner = outer.Add<Sequential>();
  inner.Add<Linear>(LinearOptions{.in = 2, .out = 2}, generator);
  inner.Add<Linear>(LinearOptions{.in = 3, .out = 2}, generator);
  EXPECT_THAT(ErrorOf([&] { outer(Zeros({1, 2})); }), testing::StartsWith("0.1: [linear] "));
}

TEST(Module, ObserversNest) {
  class Counter : public Observer {
   public:
    void OnCall(const std::string&, const char*, const TensorList&, const Tensor&) override {
      ++calls;
    }
    int calls = 0;
  };
  Generator generator(0);
  Linear linear({.in = 2, .out = 2}, generator);
  Counter outer, inner;
  EXPECT_EQ(Observer::Current(), nullptr);
  {
    const Observer::Scope one(outer);
    linear(Zeros({1, 2}));
    {
      const Observer::Scope two(inner);
      linear(Zeros({1, 2}));
    }
    linear(Zeros({1, 2}));
  }
  linear(Zeros({1, 2}));
  EXPECT_EQ(outer.calls, 2);
  EXPECT_EQ(inner.calls, 1);
}

// ---- State dicts

class StateDictTest : public testing::Test {
 protected:
  // The parameters of another module of the same class, with memory of their own.
  std::vector<NamedTensor> Other(bool views = false) {
    Generator generator(2);
    CausalSelfAttention other({.width = 4, .heads = 2}, generator);
    return views ? other.NamedParameterViews() : other.NamedParameters();
  }
  std::vector<float> Values() {
    std::vector<float> values;
    for (const NamedTensor& named : attention_.NamedParameters()) {
      const std::vector<float> part = named.value.ToVector<float>();
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }
  std::string Refused(const std::vector<NamedTensor>& state) {
    const std::vector<float> before = Values();
    const absl::Status status = LoadStateDict(attention_, state);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Values(), before);
    return std::string(status.message());
  }

  Generator generator_{1};
  CausalSelfAttention attention_{{.width = 4, .heads = 2}, generator_};
};

TEST_F(StateDictTest, LoadsCopies) {
  std::vector<NamedTensor> state = Other();
  ASSERT_EQ(LoadStateDict(attention_, state), absl::OkStatus());
  const std::vector<float> expected = state[0].value.ToVector<float>();
  EXPECT_EQ(attention_.qkv.weight.ToVector<float>(), expected);
  NoGrad no_grad;
  Fill(state[0].value, 7);
  EXPECT_EQ(attention_.qkv.weight.ToVector<float>(), expected);
}

TEST_F(StateDictTest, AcceptsTheCoursesNames) {
  EXPECT_THAT(NamesOf(attention_.NamedParameterViews()),
              ElementsAre("heads.0.key.weight", "heads.0.query.weight", "heads.0.value.weight",
                          "heads.1.key.weight", "heads.1.query.weight", "heads.1.value.weight",
                          "proj.weight", "proj.bias"));
  ASSERT_EQ(LoadStateDict(attention_, Other(/*views=*/true)), absl::OkStatus());
  EXPECT_EQ(attention_.qkv.weight.ToVector<float>(), Other()[0].value.ToVector<float>());
}

TEST_F(StateDictTest, ConvertsElements) {
  std::vector<NamedTensor> state = Other();
  const std::vector<float> expected = state[1].value.ToVector<float>();
  state[1].value =
      FromVector(std::vector<double>(expected.begin(), expected.end()), state[1].value.shape());
  ASSERT_EQ(LoadStateDict(attention_, state), absl::OkStatus());
  EXPECT_EQ(attention_.proj.weight.dtype(), DType::kFloat32);
  EXPECT_EQ(attention_.proj.weight.ToVector<float>(), expected);
}

TEST_F(StateDictTest, AllFaultsAreReportedAtOnceAndNothingChanges) {
  std::vector<NamedTensor> state = Other();
  state[0].value = Zeros({12, 5});
  state[1].name = "proj.wieght";
  EXPECT_EQ(Refused(state),
            "the parameters do not fit the CausalSelfAttention; missing: proj.weight; unexpected: "
            "proj.wieght; of another shape: qkv.weight is (12, 5), the model's is (12, 4)");
  state = Other();
  state[1].value = Tensor();
  EXPECT_EQ(Refused(state),
            "the parameters do not fit the CausalSelfAttention; of another shape: proj.weight is "
            "undefined");
  EXPECT_EQ(Refused({}),
            "the parameters do not fit the CausalSelfAttention; missing: qkv.weight, proj.weight, "
            "proj.bias");
}

TEST_F(StateDictTest, SomeHeadsAreNotEnoughAndBothFormsAreTooMany) {
  std::vector<NamedTensor> views = Other(/*views=*/true);
  const NamedTensor first = views[0];
  views.erase(views.begin());
  EXPECT_EQ(Refused(views),
            "the parameters do not fit the CausalSelfAttention; missing: heads.0.key.weight");
  std::vector<NamedTensor> both = Other();
  both.push_back(first);
  EXPECT_EQ(Refused(both),
            "the parameters do not fit the CausalSelfAttention; unexpected: heads.0.key.weight");
}

TEST_F(StateDictTest, ANameGivenTwiceIsRefused) {
  std::vector<NamedTensor> state = Other();
  state.push_back(state[1]);
  EXPECT_EQ(Refused(state),
            "the parameters do not fit the CausalSelfAttention; given twice: proj.weight");
}

TEST_F(StateDictTest, LongListsAreCut) {
  std::vector<NamedTensor> state = Other();
  for (int i = 0; i < 20; ++i) state.push_back({"x" + std::to_string(i), Zeros({1})});
  EXPECT_THAT(Refused(state), HasSubstr("unexpected: x0, x1, x2, x3, x4, x5, x6, x7 and 12 more"));
}

TEST_F(StateDictTest, TiedParametersLoadUnderTheirFirstName) {
  Generator generator(0);
  Tied tied(generator);
  ASSERT_EQ(LoadStateDict(tied, {{"scale", Zeros({3})},
                                 {"first.weight", Ones({2, 3})},
                                 {"first.bias", Zeros({2})}}),
            absl::OkStatus());
  EXPECT_EQ(tied.head.weight.ToVector<float>(), std::vector<float>(6, 1));
}

// ---- Initial values

struct Moments {
  double mean, std, largest;
};

Moments MomentsOf(const Tensor& x) {
  const std::vector<float> values = x.ToVector<float>();
  double sum = 0, squares = 0, largest = 0;
  for (double value : values) {
    sum += value;
    squares += value * value;
    largest = std::max(largest, std::abs(value));
  }
  const double n = static_cast<double>(values.size());
  return {sum / n, std::sqrt(squares / n - sum * sum / n / n), largest};
}

TEST(Init, UniformRulesFillTheirBounds) {
  Generator generator(3);
  const auto check = [&](const char* name, double bound, auto fill) {
    Tensor x = Tensor::Empty({60, 90});  // fan_in 90, fan_out 60
    fill(x);
    const Moments moments = MomentsOf(x);
    EXPECT_LE(moments.largest, bound * (1 + 1e-6)) << name;
    EXPECT_GT(moments.largest, 0.99 * bound) << name;
    EXPECT_NEAR(moments.mean, 0, 0.05 * bound) << name;
    EXPECT_NEAR(moments.std, bound / std::sqrt(3.0), 0.03 * bound) << name;
  };
  check("linear", 1 / std::sqrt(90.0), [&](Tensor& x) { init::LinearUniform(x, 90, generator); });
  check("kaiming", std::sqrt(6.0 / 90), [&](Tensor& x) { init::KaimingUniform(x, generator); });
  check("xavier", std::sqrt(6.0 / 150), [&](Tensor& x) { init::XavierUniform(x, generator); });
  check("uniform", 0.5, [&](Tensor& x) { init::Uniform(x, generator, -0.5, 0.5); });
}

TEST(Init, NormalRulesHaveTheirDeviations) {
  Generator generator(3);
  const auto check = [&](const char* name, double std, auto fill) {
    Tensor x = Tensor::Empty({60, 90});
    fill(x);
    const Moments moments = MomentsOf(x);
    EXPECT_NEAR(moments.mean, 0, 0.06 * std) << name;
    EXPECT_NEAR(moments.std, std, 0.04 * std) << name;
    EXPECT_GT(moments.largest, 3 * std) << name;
  };
  check("kaiming", std::sqrt(2.0 / 90), [&](Tensor& x) { init::KaimingNormal(x, generator); });
  check("xavier", 2 * std::sqrt(2.0 / 150),
        [&](Tensor& x) { init::XavierNormal(x, generator, 2); });
  check("normal", 0.02, [&](Tensor& x) { init::Normal(x, generator, 0, 0.02); });
}

TEST(Init, LayersDrawByTheirRules) {
  Generator generator(3);
  const Linear linear({.in = 400, .out = 300}, generator);
  EXPECT_LE(MomentsOf(linear.weight).largest, 0.05 * (1 + 1e-6));
  EXPECT_GT(MomentsOf(linear.weight).largest, 0.0499);
  EXPECT_LE(MomentsOf(linear.bias).largest, 0.05 * (1 + 1e-6));
  EXPECT_GT(MomentsOf(linear.bias).largest, 0.045);
}

TEST(Init, FansNeedAMatrixAndFillingNeedsContiguousElements) {
  Generator generator(3);
  Tensor vector = Zeros({4});
  EXPECT_EQ(ErrorOf([&] { init::KaimingUniform(vector, generator); }),
            "[kaiming_uniform] parameter: fans need at least 2 dimensions; the shape is (4,)");
  Tensor transposed = Transpose(Zeros({2, 3}), 0, 1);
  EXPECT_EQ(ErrorOf([&] { init::Normal(transposed, generator); }),
            "[normal] parameter: it must be contiguous to be filled in the order of the draws");
}

// ---- Checkpoints

TEST(Checkpoint, KeepsNamesTypesShapesAndTexts) {
  const std::string path = testing::TempDir() + "/every_type.safetensors";
  const Checkpoint saved = {
      .tensors = {{"f64", FromValues<double>({1, -0.0, INFINITY}, {3, 1})},
                  {"f32", FromValues<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
                  {"i64", FromValues<int64_t>({-5}, Shape{})},
                  {"i32", FromValues<int32_t>({7})},
                  {"bool", FromValues<bool>({true, false, true})},
                  {"empty", Zeros({0, 4})},
                  {"view", Transpose(FromValues<float>({1, 2, 3, 4}, {2, 2}), 0, 1)}},
      .metadata = {{"step", "10"}, {"text", "\"\n\u00e9"}}};
  ASSERT_EQ(SaveCheckpoint(path, saved), absl::OkStatus());
  const absl::StatusOr<Checkpoint> loaded = LoadCheckpoint(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->metadata, saved.metadata);
  ASSERT_EQ(loaded->tensors.size(), saved.tensors.size());
  for (const NamedTensor& expected : saved.tensors) {
    auto it = std::find_if(loaded->tensors.begin(), loaded->tensors.end(),
                           [&](const NamedTensor& named) { return named.name == expected.name; });
    ASSERT_NE(it, loaded->tensors.end()) << expected.name;
    EXPECT_EQ(it->value.shape(), expected.value.shape()) << expected.name;
    ASSERT_EQ(it->value.dtype(), expected.value.dtype()) << expected.name;
    VisitDType(expected.value.dtype(),
               [&, &name = expected.name, &want = expected.value, &have = it->value]<typename T>() {
                 EXPECT_TRUE(have.ToVector<T>() == want.ToVector<T>()) << name;
               });
  }
}

TEST(Checkpoint, WhatIsReadIsReadOnly) {
  const std::string path = testing::TempDir() + "/read_only.safetensors";
  ASSERT_EQ(SaveCheckpoint(path, {.tensors = {{"x", Ones({4})}}}), absl::OkStatus());
  Checkpoint loaded = *LoadCheckpoint(path);
  NoGrad no_grad;
  EXPECT_THAT(ErrorOf([&] { Fill(loaded.tensors[0].value, 2); }), HasSubstr("read only"));
}

TEST(Checkpoint, PrefixesAreTakenOffAndPutOn) {
  Checkpoint checkpoint;
  checkpoint.Add("optimizer.", {{"step.a", Ones({1})}});
  checkpoint.Add("", {{"a", Zeros({1})}});
  EXPECT_THAT(NamesOf(checkpoint.tensors), ElementsAre("optimizer.step.a", "a"));
  EXPECT_THAT(NamesOf(checkpoint.WithPrefix("optimizer.")), ElementsAre("step.a"));
}

TEST(Checkpoint, AMissingFolderIsNamed) {
  const std::string path = testing::TempDir() + "/no_such_folder/x.safetensors";
  EXPECT_THAT(std::string(SaveCheckpoint(path, {}).message()), HasSubstr(path));
  EXPECT_THAT(std::string(LoadCheckpoint(path).status().message()), HasSubstr(path));
}

TEST(Checkpoint, AnUndefinedTensorAndAnEmptyPathAreNamed) {
  EXPECT_EQ(SaveCheckpoint("x.safetensors", {.tensors = {{"w", Tensor()}}}).message(),
            "cannot write x.safetensors: the tensor w is undefined");
  EXPECT_EQ(LoadCheckpoint("").status().message(), "the path is empty; name a file to read");
}

}  // namespace
}  // namespace lemma::nn
