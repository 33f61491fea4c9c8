// Tells two arms of a spiral apart with a net of two layers, written on the autograd alone.
// Exits 0 if it learns to.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/pointwise.h"
#include "autograd/random.h"
#include "autograd/tensor.h"

namespace {

using lemma::Tensor;

constexpr int64_t kPoints = 400;
constexpr int64_t kHidden = 64;

struct Data {
  Tensor x;       // (N, 2)
  Tensor labels;  // (N)
};

Data Spiral(lemma::Generator& generator) {
  std::vector<float> noise(2 * kPoints), x;
  generator.Normal(absl::MakeSpan(noise), 0, 0.05);
  std::vector<int64_t> labels;
  for (int64_t i = 0; i < kPoints; ++i) {
    const int64_t arm = i % 2;
    const float radius = static_cast<float>(i) / kPoints;
    const float angle = 6.0f * radius + 3.14159f * static_cast<float>(arm);
    x.push_back(radius * std::cos(angle) + noise[2 * i]);
    x.push_back(radius * std::sin(angle) + noise[2 * i + 1]);
    labels.push_back(arm);
  }
  return {lemma::FromVector(x, {kPoints, 2}), lemma::FromVector(labels, {kPoints})};
}

class Net {
 public:
  explicit Net(lemma::Generator& generator)
      : w1_(lemma::RandN({kHidden, 2}, generator)),
        b1_(lemma::Zeros({kHidden})),
        w2_(lemma::RandN({2, kHidden}, generator) * 0.1) {
    for (Tensor* parameter : Parameters()) parameter->SetRequiresGrad(true);
  }

  Tensor Logits(const Tensor& x) {
    return lemma::Linear(lemma::Tanh(lemma::Linear(x * 3.0, w1_, b1_)), w2_);
  }

  // Gradient descent with momentum.
  void Step(float lr) {
    lemma::NoGrad no_grad;
    for (size_t i = 0; i < 3; ++i) {
      Tensor& parameter = *Parameters()[i];
      velocity_[i] =
          velocity_[i].defined() ? velocity_[i] * 0.9 + parameter.grad() : parameter.grad();
      lemma::AddInPlace(parameter, velocity_[i], -lr);
      parameter.SetGrad({});
    }
  }

 private:
  std::vector<Tensor*> Parameters() { return {&w1_, &b1_, &w2_}; }

  Tensor w1_;  // (hidden, 2)
  Tensor b1_;  // (hidden)
  Tensor w2_;  // (2, hidden)
  Tensor velocity_[3];
};

double Accuracy(const Tensor& logits, const Tensor& labels) {
  const std::vector<float> values = logits.ToVector<float>();
  const std::vector<int64_t> arms = labels.ToVector<int64_t>();
  int64_t right = 0;
  for (size_t i = 0; i < arms.size(); ++i) right += (values[2 * i + 1] > values[2 * i]) == arms[i];
  return static_cast<double>(right) / static_cast<double>(arms.size());
}

}  // namespace

int main() {
  lemma::Generator generator(0);
  const Data data = Spiral(generator);
  Net net(generator);
  for (int step = 0; step <= 600; ++step) {
    const Tensor logits = net.Logits(data.x);
    const Tensor loss = lemma::CrossEntropy(logits, data.labels);
    if (step % 200 == 0) {
      std::printf("step %3d  loss %.4f  accuracy %.3f\n", step, loss.Item(),
                  Accuracy(logits, data.labels));
    }
    lemma::Backward(loss);
    net.Step(0.1f);
  }
  const bool learned = Accuracy(net.Logits(data.x), data.labels) > 0.95;
  std::printf(learned ? "the arms are told apart\n" : "the arms are not told apart\n");
  return learned ? 0 : 1;
}
