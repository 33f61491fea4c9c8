#include <cstdio>

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/reduce.h"
#include "nn/activation.h"
#include "nn/linear.h"
#include "nn/optim/adam.h"
#include "nn/sequential.h"

int main() {
  using namespace lemma;
  Generator generator(0);  // torch.manual_seed(0): the same numbers, bit for bit
  const Tensor x = Rand({256, 1}, generator) * 6.0 - 3.0;
  const Tensor y = Sin(x);

  nn::Sequential net;
  net.Add<nn::Linear>(nn::LinearOptions{.in = 1, .out = 32}, generator);
  net.Add<nn::Tanh>();
  net.Add<nn::Linear>(nn::LinearOptions{.in = 32, .out = 1}, generator);

  optim::AdamW optimizer(net.NamedParameters(), {.lr = 0.01});
  for (int step = 0; step <= 500; ++step) {
    const Tensor error = net(x) - y;
    const Tensor loss = Mean(error * error);
    if (step % 100 == 0) std::printf("step %3d  loss %.5f\n", step, loss.Item());
    optimizer.ZeroGrad();
    Backward(loss);
    optimizer.Step();
  }
  return 0;
}
