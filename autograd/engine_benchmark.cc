// The cost of one call of a small op and of its step in a backward walk.

#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/reduce.h"
#include "benchmark/benchmark.h"

namespace lemma {
namespace {

constexpr int64_t kElements = 16;

void AddUnrecorded(benchmark::State& state) {
  const Tensor a = Ones({kElements}), b = Ones({kElements});
  for (auto _ : state) benchmark::DoNotOptimize(Add(a, b));
}
BENCHMARK(AddUnrecorded);

void AddRecorded(benchmark::State& state) {
  const Tensor a = Ones({kElements}).SetRequiresGrad(true), b = Ones({kElements});
  for (auto _ : state) benchmark::DoNotOptimize(Add(a, b));
}
BENCHMARK(AddRecorded);

void MulRecorded(benchmark::State& state) {
  const Tensor a = Ones({kElements}).SetRequiresGrad(true);
  const Tensor b = Ones({kElements}).SetRequiresGrad(true);
  for (auto _ : state) benchmark::DoNotOptimize(Mul(a, b));
}
BENCHMARK(MulRecorded);

// One add of a chain of a thousand and its step back; times are for the whole chain.
void ChainOfAThousandAdds(benchmark::State& state) {
  Tensor a = Ones({kElements}).SetRequiresGrad(true);
  const Tensor b = Ones({kElements});
  for (auto _ : state) {
    Tensor y = a;
    for (int i = 0; i < 1000; ++i) y = Add(std::move(y), b);
    if (state.range(0)) Backward(Sum(y));
    a.SetGrad(Tensor());
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(ChainOfAThousandAdds)->ArgName("backward")->Arg(0)->Arg(1);

}  // namespace
}  // namespace lemma
