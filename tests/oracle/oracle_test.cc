// The model in float64 against ScalarGpt: logits, loss, the gradient of every parameter by name,
// and the losses of a training run.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "nn/init.h"
#include "nn/module.h"
#include "nn/optim/adam.h"
#include "tests/oracle/scalar_gpt.h"

namespace lemma {
namespace {

using models::Gpt;
using models::GptConfig;
using models::GptInit;

constexpr double kTolerance = 1e-9;

struct Case {
  const char* name;
  GptConfig config;
  int64_t batch, time;
};

// Sizes that differ from each other, so that none can stand in for another.
std::vector<Case> Cases() {
  const GptConfig course = {.vocab = 11, .context = 5, .width = 12, .heads = 3, .layers = 2};
  GptConfig nanogpt = course;
  nanogpt.tied_head = true;
  nanogpt.bias = nanogpt.norm_bias = false;
  nanogpt.gelu_tanh = true;
  nanogpt.init = GptInit::kGpt2;
  GptConfig every_bias = {.vocab = 13, .context = 7, .width = 10, .heads = 2, .layers = 3};
  every_bias.head_bias = every_bias.qkv_bias = true;
  return {{"Course", course, 2, 5},
          {"NanoGpt", nanogpt, 2, 5},
          {"ShorterThanTheContext", course, 3, 4},
          {"EveryBias", every_bias, 2, 7},
          {"OneToken", course, 1, 1}};
}

double LargestDistance(const Tensor& x, const Values& expected) {
  const Values values = x.Detach().ToVector<double>();
  if (values.size() != expected.size()) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(values[i] - expected[i]));
  }
  return largest;
}

std::map<std::string, Values> ParametersOf(const Gpt& model) {
  std::map<std::string, Values> parameters;
  for (const nn::NamedTensor& named : model.NamedParameters()) {
    parameters[named.name] = named.value.Detach().ToVector<double>();
  }
  return parameters;
}

class Oracle : public testing::TestWithParam<Case> {
 protected:
  Oracle()
      : generator_(99),
        model_(Prepared()),
        tokens_(
            RandInt(0, GetParam().config.vocab, {GetParam().batch, GetParam().time}, generator_)),
        targets_(
            RandInt(0, GetParam().config.vocab, {GetParam().batch, GetParam().time}, generator_)),
        oracle_(GetParam().config, ParametersOf(model_)) {}

  // A trained model has no parameter near 0 or 1: every one gets noise, so that each term counts.
  Gpt& Prepared() {
    NoGrad no_grad;
    fresh_.To(DType::kFloat64);
    for (Tensor parameter : fresh_.Parameters()) {
      Tensor noise = Tensor::Empty(parameter.shape(), DType::kFloat64);
      nn::init::Normal(noise, generator_, 0, 0.2);
      double* p = parameter.mutable_data<double>();
      for (int64_t i = 0; i < parameter.numel(); ++i) p[i] += noise.data<double>()[i];
    }
    return fresh_;
  }
  double OracleLoss() {
    return oracle_.Loss(tokens_.ToVector<int64_t>(), targets_.ToVector<int64_t>(), GetParam().time);
  }

  Generator generator_;
  Generator initial_{7};
  Gpt fresh_{GetParam().config, initial_};
  Gpt& model_;
  const Tensor tokens_, targets_;  // (B, T)
  ScalarGpt oracle_;
};

TEST_P(Oracle, LogitsAndLossAgree) {
  const double expected = OracleLoss();
  EXPECT_NEAR(model_.Loss(tokens_, targets_).Item(), expected, kTolerance);
  EXPECT_LT(LargestDistance(model_(tokens_), oracle_.logits()), kTolerance);
}

TEST_P(Oracle, EveryGradientAgrees) {
  OracleLoss();
  const std::map<std::string, Values> expected = oracle_.Gradients();
  Backward(model_.Loss(tokens_, targets_));
  EXPECT_EQ(model_.NamedParameters().size(), expected.size());
  double worst = 0;
  for (const nn::NamedTensor& named : model_.NamedParameters()) {
    ASSERT_TRUE(expected.contains(named.name)) << named.name;
    ASSERT_TRUE(named.value.grad().defined()) << named.name;
    const double distance = LargestDistance(named.value.grad(), expected.at(named.name));
    EXPECT_LT(distance, kTolerance) << named.name;
    worst = std::max(worst, distance);
  }
  std::printf("largest distance of a gradient: %.2e\n", worst);
}

TEST_P(Oracle, TenStepsOfAdamWGiveTheSameLosses) {
  optim::AdamW optimizer(model_.NamedParameters(), {.lr = 1e-2, .weight_decay = 0.1});
  double first = 0, last = 0;
  for (int step = 0; step < 10; ++step) {
    const double expected = OracleLoss();
    const Tensor loss = model_.Loss(tokens_, targets_);
    EXPECT_NEAR(loss.Item(), expected, kTolerance) << "step " << step;
    if (step == 0) first = expected;
    last = expected;
    oracle_.Step(oracle_.Gradients(), {1e-2, 0.9, 0.999, 1e-8, 0.1});
    optimizer.ZeroGrad();
    Backward(loss);
    optimizer.Step();
  }
  std::printf("loss %.6f, after 9 steps %.6f\n", first, last);
  EXPECT_LT(last, first);
}

INSTANTIATE_TEST_SUITE_P(Configs, Oracle, testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace lemma
