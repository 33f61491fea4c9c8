// Modules: their parameters, buffers, names, observers.
#include "nn/module.h"

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/reduce.h"
#include "autograd/random.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
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

TEST(Module, TiedParametersLoadUnderTheirFirstName) {
  Generator generator(0);
  Tied tied(generator);
  ASSERT_EQ(LoadStateDict(tied, {{"scale", Zeros({3})},
                                 {"first.weight", Ones({2, 3})},
                                 {"first.bias", Zeros({2})}}),
            absl::OkStatus());
  EXPECT_EQ(tied.head.weight.ToVector<float>(), std::vector<float>(6, 1));
}

}  // namespace
}  // namespace lemma::nn
