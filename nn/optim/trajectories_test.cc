// The optimizers against PyTorch's: 11 trajectories of 20 steps with given gradients.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "nn/optim/optimizer.h"
#include "nn/optim/sgd.h"

namespace lemma::optim {
namespace {

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

nlohmann::json Golden() {
  std::ifstream file("tests/testdata/optim.json");
  return nlohmann::json::parse(file);
}

std::unique_ptr<Optimizer> FromRun(const nlohmann::json& run, std::vector<NamedTensor> parameters) {
  const nlohmann::json& options = run.at("options");
  const std::string name = run.at("name");
  const double lr = options.at("lr");
  if (name == "SGD") {
    return std::make_unique<Sgd>(std::move(parameters),
                                 SgdOptions{.lr = lr,
                                            .momentum = options.value("momentum", 0.0),
                                            .dampening = options.value("dampening", 0.0),
                                            .weight_decay = options.value("weight_decay", 0.0),
                                            .nesterov = options.value("nesterov", false)});
  }
  const std::vector<double> betas = options.value("betas", std::vector<double>{0.9, 0.999});
  const double eps = options.value("eps", 1e-8);
  if (name == "Adam") {
    return std::make_unique<Adam>(std::move(parameters),
                                  AdamOptions{.lr = lr,
                                              .beta1 = betas[0],
                                              .beta2 = betas[1],
                                              .eps = eps,
                                              .weight_decay = options.value("weight_decay", 0.0)});
  }
  EXPECT_EQ(name, "AdamW");
  return std::make_unique<AdamW>(std::move(parameters),
                                 AdamWOptions{.lr = lr,
                                              .beta1 = betas[0],
                                              .beta2 = betas[1],
                                              .eps = eps,
                                              .weight_decay = options.value("weight_decay", 0.01)});
}

// How a run's gradients are clipped to norm 1, where it has "norms".
enum class Clip { kInPlace, kByFactor };

// The largest distance to PyTorch's parameters after any step.
double FollowRun(const nlohmann::json& golden, const nlohmann::json& run, DType dtype, Clip clip) {
  const std::vector<std::vector<double>> gradients = golden.at("gradients");
  const std::vector<std::vector<double>> after = run.at("after");
  Tensor x = Leaf(golden.at("start"), dtype);
  const std::unique_ptr<Optimizer> optimizer = FromRun(run, {{"x", x}});
  const bool clips = run.contains("norms");
  size_t clipped = 0;
  double largest = 0;
  for (size_t step = 0; step < after.size(); ++step) {
    double grad_scale = 1;
    if (clips && step % 5 == 3) {
      x.SetGrad(Tensor());
    } else {
      Tensor grad = Leaf(gradients[step], dtype).Detach();
      x.SetGrad(clips ? grad * 10 : grad);
    }
    if (clips && x.grad().defined()) {
      const double norm = clip == Clip::kInPlace ? ClipGradNorm({x}, 1) : GradNorm({x});
      if (clip == Clip::kByFactor) grad_scale = ClipFactor(norm, 1);
      const double expected = run.at("norms").at(clipped++);
      EXPECT_NEAR(norm, expected, dtype == DType::kFloat64 ? 1e-12 * expected : 1e-6 * expected);
    }
    optimizer->Step(grad_scale);
    const std::vector<double> values = ValuesOf(x);
    for (size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, std::abs(values[i] - after[step][i]));
    }
  }
  EXPECT_EQ(clipped, clips ? run.at("norms").size() : 0);
  return largest;
}

TEST(Optimizers, FollowPyTorchsTrajectories) {
  const nlohmann::json golden = Golden();
  EXPECT_EQ(golden.at("runs").size(), 11u);
  int clipping = 0;
  for (const nlohmann::json& run : golden.at("runs")) {
    const std::string label = run.at("name").get<std::string>() + " " + run.at("options").dump();
    for (Clip clip : {Clip::kInPlace, Clip::kByFactor}) {
      EXPECT_LT(FollowRun(golden, run, DType::kFloat64, clip), 1e-12) << label;
      EXPECT_LT(FollowRun(golden, run, DType::kFloat32, clip), 2e-6) << label;
    }
    clipping += run.contains("norms");
  }
  EXPECT_EQ(clipping, 1);
}

}  // namespace
}  // namespace lemma::optim
