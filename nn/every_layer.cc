#include "nn/every_layer.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/sum.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "nn/checkpoint.h"
#include "nn/state_dict.h"

namespace lemma::nn {
namespace {

using ::testing::StartsWith;

BuiltLayer Build(const LayerCase& layer, uint64_t seed = 5) {
  Generator generator(seed);
  return layer.build(generator);
}

double LargestDifference(const Tensor& a, const Tensor& b) {
  EXPECT_EQ(a.shape(), b.shape());
  const std::vector<double> x = Cast(a.Detach(), DType::kFloat64).ToVector<double>();
  const std::vector<double> y = Cast(b.Detach(), DType::kFloat64).ToVector<double>();
  double largest = 0;
  for (size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
    largest = std::max(largest, std::abs(x[i] - y[i]));
  }
  return largest;
}

// A layer of another name around one, as a model has it.
class Outer : public Layer<Outer> {
 public:
  explicit Outer(BuiltLayer& inner) : inner_(inner) { Register("inner", *inner.module); }
  const char* type() const override { return "Outer"; }
  Tensor Forward(Tensor x) { return inner_.call(std::move(x)); }

 private:
  BuiltLayer& inner_;
};

TEST_P(EveryLayer, NamesItsParametersAndTheirShapes) {
  const BuiltLayer layer = Build(GetParam());
  std::vector<std::pair<std::string, Shape>> found;
  int64_t count = 0;
  for (const NamedTensor& named : layer.module->NamedParameters()) {
    found.emplace_back(named.name, named.value.shape());
    count += named.value.numel();
    EXPECT_TRUE(named.value.requires_grad() && named.value.is_leaf()) << named.name;
    EXPECT_EQ(named.value.dtype(), DType::kFloat32) << named.name;
  }
  ASSERT_EQ(found.size(), GetParam().parameters.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].first, GetParam().parameters[i].first);
    EXPECT_EQ(found[i].second, GetParam().parameters[i].second) << found[i].first;
  }
  EXPECT_EQ(layer.module->NumParameters(), count);
}

// Row views cover each parameter that has them: names are unique, and elements are all there.
TEST_P(EveryLayer, ItsViewsCoverItsParameters) {
  const BuiltLayer layer = Build(GetParam());
  std::set<std::string> names;
  int64_t count = 0;
  for (const NamedTensor& named : layer.module->NamedParameterViews()) {
    EXPECT_TRUE(names.insert(named.name).second) << named.name;
    count += named.value.numel();
  }
  EXPECT_EQ(count, layer.module->NumParameters());
}

TEST_P(EveryLayer, InitialValuesFollowFromTheSeed) {
  const std::vector<NamedTensor> one = Build(GetParam(), 5).module->NamedParameters();
  const std::vector<NamedTensor> same = Build(GetParam(), 5).module->NamedParameters();
  for (size_t i = 0; i < one.size(); ++i) {
    const std::vector<float> values = one[i].value.ToVector<float>();
    EXPECT_EQ(values, same[i].value.ToVector<float>()) << one[i].name;
    for (float value : values) EXPECT_TRUE(std::isfinite(value)) << one[i].name;
  }
}

TEST_P(EveryLayer, GradientsReachEveryParameter) {
  const BuiltLayer layer = Build(GetParam());
  Generator generator(6);
  const Tensor y = layer.call(GetParam().input);
  if (layer.module->NumParameters() == 0) {
    EXPECT_FALSE(y.requires_grad());
    return;
  }
  Backward(Sum(y * RandN(y.shape(), generator)));
  for (const NamedTensor& named : layer.module->NamedParameters()) {
    ASSERT_TRUE(named.value.grad().defined()) << named.name;
    double largest = 0;
    for (float value : named.value.grad().ToVector<float>()) {
      largest = std::max(largest, std::abs(static_cast<double>(value)));
    }
    EXPECT_GT(largest, 0) << named.name;
    EXPECT_TRUE(std::isfinite(largest)) << named.name;
  }
  layer.module->ZeroGrad();
  for (const NamedTensor& named : layer.module->NamedParameters()) {
    EXPECT_FALSE(named.value.grad().defined()) << named.name;
  }
}

TEST_P(EveryLayer, WorksInFloat64) {
  const BuiltLayer layer = Build(GetParam());
  layer.module->Eval();
  const Tensor expected = layer.call(GetParam().input);
  const std::vector<NamedTensor> before = layer.module->NamedParameters();
  layer.module->To(DType::kFloat64);
  const std::vector<NamedTensor> after = layer.module->NamedParameters();
  ASSERT_EQ(after.size(), before.size());
  for (size_t i = 0; i < after.size(); ++i) {
    EXPECT_EQ(after[i].name, before[i].name);
    EXPECT_EQ(after[i].value.dtype(), DType::kFloat64);
    EXPECT_TRUE(after[i].value.requires_grad()) << after[i].name;
    EXPECT_EQ(LargestDifference(after[i].value, before[i].value), 0) << after[i].name;
  }
  const bool is_float = GetParam().input.dtype() == DType::kFloat32;
  const Tensor y =
      layer.call(is_float ? Cast(GetParam().input, DType::kFloat64) : GetParam().input);
  EXPECT_EQ(y.dtype(), DType::kFloat64);
  EXPECT_LT(LargestDifference(y, expected), 1e-5);
}

TEST_P(EveryLayer, SurvivesACheckpoint) {
  const BuiltLayer layer = Build(GetParam(), 5), other = Build(GetParam(), 6);
  const std::string path = testing::TempDir() + "/layer_" + GetParam().name + ".safetensors";
  for (bool as_views : {false, true}) {
    const Checkpoint saved = {.tensors = as_views ? layer.module->NamedParameterViews()
                                                  : layer.module->NamedParameters()};
    ASSERT_EQ(SaveCheckpoint(path, saved), absl::OkStatus());
    const absl::StatusOr<Checkpoint> loaded = LoadCheckpoint(path);
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    ASSERT_EQ(LoadStateDict(*other.module, loaded->tensors), absl::OkStatus());
    layer.module->Eval();
    other.module->Eval();
    EXPECT_EQ(other.call(GetParam().input).ToVector<float>(),
              layer.call(GetParam().input).ToVector<float>());
  }
}

TEST_P(EveryLayer, DrawsWhileTrainingOnly) {
  const BuiltLayer layer = Build(GetParam());
  const auto values = [&] { return layer.call(GetParam().input).ToVector<float>(); };
  EXPECT_TRUE(layer.module->training());
  if (GetParam().draws_in_training) {
    EXPECT_NE(values(), values());
  } else {
    EXPECT_EQ(values(), values());
  }
  layer.module->Eval();
  EXPECT_EQ(values(), values());
  layer.module->ForEach(
      [](const std::string& path, Module& module) { EXPECT_FALSE(module.training()) << path; });
  layer.module->Train();
  layer.module->ForEach(
      [](const std::string& path, Module& module) { EXPECT_TRUE(module.training()) << path; });
}

TEST_P(EveryLayer, ErrorsNameThePath) {
  BuiltLayer layer = Build(GetParam());
  Outer outer(layer);
  const bool is_float = GetParam().input.dtype() == DType::kFloat32;
  const Tensor wrong = Cast(GetParam().input, is_float ? DType::kInt64 : DType::kFloat32);
  const std::string below = GetParam().error;
  const std::string path = below.empty() || below[0] == '[' ? "inner: " : "inner.";
  EXPECT_THAT(ErrorOf([&] { outer(wrong); }), StartsWith(path + below));
  EXPECT_EQ(ErrorScope::Path(), "");
}

// Keeps what was reported of one path.
class Listener : public Observer {
 public:
  explicit Listener(std::string path) : path_(std::move(path)) {}
  void OnCall(const std::string& path, const char* type, const TensorList& inputs,
              const Tensor& output) override {
    paths.insert(path);
    if (path != path_) return;
    types.push_back(type);
    input = inputs[0];
    y = output;
  }
  std::set<std::string> paths;
  std::vector<std::string> types;
  Tensor input, y;

 private:
  const std::string path_;
};

TEST_P(EveryLayer, ReportsItsCallsToAnObserver) {
  BuiltLayer layer = Build(GetParam());
  Outer outer(layer);
  outer.Eval();
  const Tensor expected = outer(GetParam().input);
  Listener listener("inner");
  Tensor y;
  {
    const Observer::Scope scope(listener);
    y = outer(GetParam().input);
  }
  outer(GetParam().input);  // after the scope: not reported
  EXPECT_EQ(listener.types, std::vector<std::string>{layer.module->type()});
  EXPECT_EQ(listener.input.shape(), GetParam().input.shape());
  EXPECT_TRUE(listener.y.IsSameAs(y));
  EXPECT_LT(LargestDifference(y, expected), 1e-5);
  // Whatever is below and was called has its path from the top.
  for (const std::string& path : listener.paths) {
    EXPECT_TRUE(path.empty() || path.rfind("inner", 0) == 0) << path;
  }
}

}  // namespace

}  // namespace lemma::nn
