// What every optimizer must do, over a table of them.
#include "nn/optim/optimizer.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/sum.h"
#include "autograd/ops/views.h"
#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nn/optim/adam.h"
#include "nn/optim/sgd.h"

namespace lemma::optim {
namespace {

using ::testing::HasSubstr;

Tensor Leaf(const std::vector<double>& values, DType dtype = DType::kFloat64) {
  Tensor leaf = Tensor::Empty({static_cast<int64_t>(values.size())}, dtype);
  for (size_t i = 0; i < values.size(); ++i) {
    VisitFloat(dtype, [&]<typename T>() { leaf.mutable_data<T>()[i] = static_cast<T>(values[i]); });
  }
  leaf.SetRequiresGrad(true);
  return leaf;
}

std::vector<double> ValuesOf(const Tensor& x) {
  if (x.dtype() == DType::kFloat64) return x.Detach().ToVector<double>();
  const std::vector<float> floats = x.Detach().ToVector<float>();
  return {floats.begin(), floats.end()};
}

struct Kind {
  std::string name;
  std::function<std::unique_ptr<Optimizer>(std::vector<ParameterGroup>, double lr,
                                           double weight_decay)>
      make;
  double parabola_lr, rosenbrock_lr;
  int rosenbrock_steps;
};

std::vector<Kind> Kinds() {
  const auto sgd = [](double momentum, bool nesterov) {
    return [=](std::vector<ParameterGroup> groups, double lr, double weight_decay) {
      return std::make_unique<Sgd>(
          std::move(groups),
          SgdOptions{
              .lr = lr, .momentum = momentum, .weight_decay = weight_decay, .nesterov = nesterov});
    };
  };
  const auto adam = [](std::vector<ParameterGroup> groups, double lr, double weight_decay) {
    return std::make_unique<Adam>(std::move(groups),
                                  AdamOptions{.lr = lr, .weight_decay = weight_decay});
  };
  const auto adamw = [](std::vector<ParameterGroup> groups, double lr, double weight_decay) {
    return std::make_unique<AdamW>(std::move(groups),
                                   AdamWOptions{.lr = lr, .weight_decay = weight_decay});
  };
  return {{"Sgd", sgd(0, false), 0.1, 1.5e-3, 20000},
          {"SgdMomentum", sgd(0.9, false), 0.05, 1e-3, 4000},
          {"SgdNesterov", sgd(0.9, true), 0.05, 1e-3, 4000},
          {"Adam", adam, 0.1, 0.1, 3000},
          {"AdamW", adamw, 0.1, 0.1, 3000}};
}

class EveryOptimizer : public testing::TestWithParam<Kind> {
 protected:
  static std::unique_ptr<Optimizer> Make(std::vector<NamedTensor> parameters, double lr,
                                         double weight_decay = 0) {
    return GetParam().make({{.parameters = std::move(parameters)}}, lr, weight_decay);
  }
};

// sum_i a_i (x_i - b_i)^2 / 2 with a = (1, 4, 10), b = (3, -1, 0.5).
Tensor Parabola(const Tensor& x) {
  const Tensor a = FromValues<double>({1, 4, 10}), b = FromValues<double>({3, -1, 0.5});
  return Sum(a * Square(x - b)) * 0.5;
}

// Rosenbrock (1960): (1 - x)^2 + 100 (y - x^2)^2, least at (1, 1).
Tensor Rosenbrock(const Tensor& x, const Tensor& y) {
  return Sum(Square(1 - x) + 100 * Square(y - Square(x)));
}

// Steps down `loss` with a rate that falls linearly to 0.
void Minimise(Optimizer& optimizer, double lr, int steps, const std::function<Tensor()>& loss) {
  for (int step = 0; step < steps; ++step) {
    optimizer.SetLr(lr * (1 - static_cast<double>(step) / steps));
    optimizer.ZeroGrad();
    Backward(loss());
    optimizer.Step();
  }
}

TEST_P(EveryOptimizer, FindsTheBottomOfAParabola) {
  Tensor x = Leaf({0, 0, 0});
  const std::unique_ptr<Optimizer> optimizer = Make({{"x", x}}, GetParam().parabola_lr);
  Minimise(*optimizer, GetParam().parabola_lr, 400, [&] { return Parabola(x); });
  EXPECT_THAT(ValuesOf(x), testing::Pointwise(testing::DoubleNear(1e-3), {3.0, -1.0, 0.5}));
}

TEST_P(EveryOptimizer, FindsTheBottomOfRosenbrocksValley) {
  Tensor x = Leaf({-1.2}), y = Leaf({1});
  const double lr = GetParam().rosenbrock_lr;
  const std::unique_ptr<Optimizer> optimizer = Make({{"x", x}, {"y", y}}, lr);
  Minimise(*optimizer, lr, GetParam().rosenbrock_steps, [&] { return Rosenbrock(x, y); });
  EXPECT_NEAR(x.Item(), 1, 3e-3);
  EXPECT_NEAR(y.Item(), 1, 3e-3);
}

// A copy that shares no memory.
std::vector<NamedTensor> Copied(const std::vector<NamedTensor>& state) {
  std::vector<NamedTensor> copy;
  for (const NamedTensor& named : state) copy.push_back({named.name, Clone(named.value)});
  return copy;
}

TEST_P(EveryOptimizer, ResumesToTheSameBits) {
  const auto steps = [](Optimizer& optimizer, Tensor& x, int n) {
    for (int i = 0; i < n; ++i) {
      optimizer.ZeroGrad();
      Backward(Parabola(x));
      optimizer.Step();
    }
  };
  Tensor whole = Leaf({0, 0, 0});
  const std::unique_ptr<Optimizer> one = Make({{"x", whole}}, 0.05, 0.1);
  steps(*one, whole, 5);
  const std::vector<double> halfway = ValuesOf(whole);
  const std::vector<NamedTensor> state = Copied(one->State());
  steps(*one, whole, 5);

  Tensor resumed = Leaf(halfway);
  const std::unique_ptr<Optimizer> other = Make({{"x", resumed}}, 0.05, 0.1);
  ASSERT_EQ(other->LoadState(state), absl::OkStatus());
  steps(*other, resumed, 5);
  EXPECT_EQ(ValuesOf(resumed), ValuesOf(whole));

  const std::vector<NamedTensor> expected = one->State(), actual = other->State();
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    EXPECT_EQ(actual[i].name, expected[i].name);
    if (actual[i].value.dtype() == DType::kInt64) {
      EXPECT_EQ(actual[i].value.Item(), 10);
    } else {
      EXPECT_EQ(ValuesOf(actual[i].value), ValuesOf(expected[i].value)) << actual[i].name;
    }
  }
}

TEST_P(EveryOptimizer, StateLoadedIsACopy) {
  Tensor x = Leaf({0, 0, 0});
  const std::unique_ptr<Optimizer> optimizer = Make({{"x", x}}, 0.05);
  x.SetGrad(Leaf({1, 2, 3}).Detach());
  optimizer->Step();
  std::vector<NamedTensor> state = Copied(optimizer->State());
  ASSERT_EQ(optimizer->LoadState(state), absl::OkStatus());
  for (NamedTensor& named : state) {
    if (named.value.dtype() == DType::kFloat64) named.value.mutable_data<double>()[0] = 1e9;
  }
  for (const NamedTensor& named : optimizer->State()) {
    if (named.value.dtype() == DType::kInt64) continue;
    EXPECT_LT(ValuesOf(named.value)[0], 10) << named.name;
  }
}

TEST_P(EveryOptimizer, GroupsInheritWhatTheyDoNotSet) {
  // The same parameter in three groups, against optimizers of one group with those values.
  const auto step_alone = [&](double lr, double weight_decay) {
    Tensor x = Leaf({1, 2, 3});
    const std::unique_ptr<Optimizer> optimizer = Make({{"x", x}}, lr, weight_decay);
    Backward(Parabola(x));
    optimizer->Step();
    return ValuesOf(x);
  };
  Tensor inherits = Leaf({1, 2, 3}), own_lr = Leaf({1, 2, 3}), own_decay = Leaf({1, 2, 3});
  const std::unique_ptr<Optimizer> optimizer =
      GetParam().make({{.parameters = {{"a", inherits}}},
                       {.parameters = {{"b", own_lr}}, .lr = 0.02},
                       {.parameters = {{"c", own_decay}}, .weight_decay = 0.5}},
                      0.01, 0.1);
  Backward(Parabola(inherits) + Parabola(own_lr) + Parabola(own_decay));
  optimizer->Step();
  EXPECT_EQ(ValuesOf(inherits), step_alone(0.01, 0.1));
  EXPECT_EQ(ValuesOf(own_lr), step_alone(0.02, 0.1));
  EXPECT_EQ(ValuesOf(own_decay), step_alone(0.01, 0.5));
  EXPECT_NE(ValuesOf(own_decay), ValuesOf(inherits));
}

TEST_P(EveryOptimizer, AGroupKeepsItsRatioWhenTheRateChanges) {
  const auto moved = [&](double lr) {
    Tensor x = Leaf({1, 2, 3});
    const std::unique_ptr<Optimizer> optimizer = Make({{"x", x}}, lr);
    Backward(Parabola(x));
    optimizer->Step();
    return ValuesOf(x);
  };
  Tensor x = Leaf({1, 2, 3});
  const std::unique_ptr<Optimizer> optimizer =
      GetParam().make({{.parameters = {{"x", x}}, .lr = 0.5}}, 0.25, 0);
  optimizer->SetLr(0.125);
  EXPECT_EQ(optimizer->lr(), 0.125);
  Backward(Parabola(x));
  optimizer->Step();
  EXPECT_EQ(ValuesOf(x), moved(0.25));
}

TEST_P(EveryOptimizer, AParameterWithoutAGradientIsPassedOver) {
  Tensor used = Leaf({1, 2, 3}), unused = Leaf({4, 5, 6});
  const std::unique_ptr<Optimizer> optimizer = Make({{"a", used}, {"b", unused}}, 0.1, 0.1);
  Backward(Parabola(used));
  optimizer->Step();
  EXPECT_NE(ValuesOf(used), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(ValuesOf(unused), (std::vector<double>{4, 5, 6}));
  for (const NamedTensor& named : optimizer->State()) EXPECT_THAT(named.name, HasSubstr(".a"));

  optimizer->ZeroGrad();
  EXPECT_FALSE(used.grad().defined());
  const std::vector<double> before = ValuesOf(used);
  optimizer->Step();
  EXPECT_EQ(ValuesOf(used), before);
}

TEST_P(EveryOptimizer, GradScaleScalesTheGradient) {
  for (double weight_decay : {0.0, 0.1}) {
    Tensor scaled = Leaf({1, 2, 3}), whole = Leaf({1, 2, 3});
    const std::unique_ptr<Optimizer> one = Make({{"x", scaled}}, 0.1, weight_decay);
    const std::unique_ptr<Optimizer> other = Make({{"x", whole}}, 0.1, weight_decay);
    for (int step = 0; step < 3; ++step) {
      scaled.SetGrad(Leaf({8, -4, 2}).Detach());
      whole.SetGrad(Leaf({2, -1, 0.5}).Detach());
      one->Step(0.25);
      other->Step();
    }
    EXPECT_EQ(ValuesOf(scaled), ValuesOf(whole));
    const std::vector<NamedTensor> a = one->State(), b = other->State();
    for (size_t i = 1; i < a.size(); ++i) {  // after "step.x"
      EXPECT_EQ(ValuesOf(a[i].value), ValuesOf(b[i].value)) << a[i].name;
    }
  }
}

TEST_P(EveryOptimizer, BadStateIsRefusedAndChangesNothing) {
  Tensor x = Leaf({0, 0, 0});
  const std::unique_ptr<Optimizer> optimizer = Make({{"x", x}}, 0.05);
  x.SetGrad(Leaf({1, 2, 3}).Detach());
  optimizer->Step();
  const std::vector<NamedTensor> good = Copied(optimizer->State());
  const auto refused = [&](const std::vector<NamedTensor>& state) {
    const absl::Status status = optimizer->LoadState(state);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    const std::vector<NamedTensor> now = optimizer->State();
    EXPECT_EQ(now.size(), good.size());
    for (size_t i = 0; i < now.size(); ++i) {
      if (now[i].value.dtype() == DType::kInt64) {
        EXPECT_EQ(now[i].value.Item(), good[i].value.Item());
      } else {
        EXPECT_EQ(ValuesOf(now[i].value), ValuesOf(good[i].value));
      }
    }
    return std::string(status.message());
  };
  const std::string fits = std::string("the optimizer state does not fit ") + optimizer->type() +
                           " over these parameters: ";
  std::vector<NamedTensor> bad = good;
  bad.push_back({"step.y", good[0].value});
  bad.push_back({"exp_avg.z", good[0].value});
  EXPECT_THAT(refused(bad), HasSubstr(fits));
  EXPECT_THAT(refused(bad), HasSubstr("unexpected: step.y"));
  EXPECT_THAT(refused(bad), HasSubstr("unexpected: exp_avg.z"));

  bad = good;
  bad[0].value = Zeros({2}, DType::kInt64);
  EXPECT_EQ(refused(bad), fits + "step.x is int64 (2,), expected int64 ()");
  bad[0].value = FromValues<int64_t>({-1}, Shape{});
  EXPECT_EQ(refused(bad), fits + "step.x is -1; a parameter that has state has made a step");

  if (good.size() == 1) return;  // keeps no tensors
  bad = good;
  bad[1].value = Zeros({3}, DType::kFloat32);
  EXPECT_EQ(refused(bad), fits + good[1].name + " is float32 (3,), expected float64 (3,)");
  bad = {good[0]};
  EXPECT_THAT(refused(bad), HasSubstr("missing: " + good[1].name));
}

TEST_P(EveryOptimizer, AnEmptyStateStartsAnew) {
  Tensor x = Leaf({0, 0, 0});
  const std::unique_ptr<Optimizer> optimizer = Make({{"x", x}}, 0.05);
  EXPECT_TRUE(optimizer->State().empty());
  Backward(Parabola(x));
  optimizer->Step();
  EXPECT_FALSE(optimizer->State().empty());
  EXPECT_EQ(optimizer->LoadState({}), absl::OkStatus());
  EXPECT_TRUE(optimizer->State().empty());
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOptimizer, testing::ValuesIn(Kinds()),
                         [](const auto& info) { return info.param.name; });

// ---- Wrong calls

TEST(Optimizers, WrongCallsAreNamed) {
  Tensor x = Leaf({1});
  const auto sgd = [&](const SgdOptions& options) {
    return ErrorOf([&] { Sgd(std::vector<NamedTensor>{{"x", x}}, options); });
  };
  EXPECT_EQ(sgd({.lr = -1}), "[optimizer] lr: it must be a number from 0 on; it is -1");
  EXPECT_EQ(sgd({.momentum = -1}), "[SGD] momentum: it can't be negative; it is -1");
  EXPECT_EQ(sgd({.nesterov = true}),
            "[SGD] nesterov: it needs momentum > 0 and dampening 0; they are 0 and 0");
  EXPECT_EQ(ErrorOf([&] {
              AdamW(std::vector<NamedTensor>{{"x", x}}, {.beta1 = 1});
            }),
            "[AdamW] beta1 and beta2 must be in [0, 1); they are 1 and 0.999");
  EXPECT_EQ(ErrorOf([&] {
              Adam(std::vector<NamedTensor>{{"x", x}}, {.eps = -1});
            }),
            "[Adam] eps: it can't be negative; it is -1");
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<NamedTensor>{{"x", x}, {"x", x}});
            }),
            "[optimizer] x: it is given twice");
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<NamedTensor>{{"x", x}, {"y", x}});
            }),
            "[optimizer] y: it is a tensor that was given under another name already; each is "
            "updated once");
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<NamedTensor>{{"x", x}}).SetLr(NAN);
            }),
            "[optimizer] lr: it must be a number from 0 on; it is nan");
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<NamedTensor>{{"x", x * 2}});
            }),
            "[optimizer] x: it is not a leaf that requires a gradient; call SetRequiresGrad(true) "
            "on a leaf");
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<NamedTensor>{{"x", Zeros({2})}});
            }),
            "[optimizer] x: it is not a leaf that requires a gradient; call SetRequiresGrad(true) "
            "on a leaf");
  Tensor transposed = Transpose(Zeros({2, 3}), 0, 1);
  transposed.SetRequiresGrad(true);
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<NamedTensor>{{"x", transposed}});
            }),
            "[optimizer] x: its elements must be contiguous; update a Contiguous() copy instead");
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<ParameterGroup>{{.parameters = {{"x", x}}, .lr = -0.5}});
            }),
            "[optimizer] lr of a group: it must be a number from 0 on; it is -0.5");
  EXPECT_EQ(ErrorOf([&] {
              Sgd(std::vector<ParameterGroup>{{.parameters = {{"x", x}}, .lr = 0.5}}, {.lr = 0});
            }),
            "[optimizer] lr: a group has a rate of its own, as a ratio to lr, so lr can't be 0");
}

}  // namespace
}  // namespace lemma::optim
