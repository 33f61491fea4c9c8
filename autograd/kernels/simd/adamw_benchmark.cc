// AdamW, vector code beside the definition. Bytes are those that have to be read and written once.
// Arguments: tensors, elements of each.
#include <cstdint>
#include <span>
#include <vector>

#include "autograd/kernels/adamw_args.h"
#include "autograd/kernels/reference/adamw.h"
#include "autograd/kernels/simd/adamw.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

template <auto kKernel>
void Update(benchmark::State& state) {
  const int64_t tensors = state.range(0), n = state.range(1);
  std::vector<float> param(tensors * n, 1.0f), grad(tensors * n, 0.1f), m(tensors * n),
      v(tensors * n);
  std::vector<AdamWTensor<float>> list;
  for (int64_t i = 0; i < tensors; ++i) {
    const int64_t at = i * n;
    list.push_back({param.data() + at, grad.data() + at, m.data() + at, v.data() + at, n});
  }
  for (auto _ : state) {
    kKernel(list, AdamWOptions{.grad_scale = 0.5});
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * tensors * n * 28);
}

template <auto kKernel>
void Norm(benchmark::State& state) {
  const int64_t tensors = state.range(0), n = state.range(1);
  const std::vector<float> grad(tensors * n, 0.1f);
  std::vector<ConstRun<float>> list;
  for (int64_t i = 0; i < tensors; ++i) list.push_back({grad.data() + i * n, n});
  for (auto _ : state) benchmark::DoNotOptimize(kKernel(list));
  state.SetBytesProcessed(state.iterations() * tensors * n * 4);
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Args({50, 16384})->Args({10, 1 << 20});
}

BENCHMARK(Update<simd::AdamWUpdate>)->Apply(Shapes);
BENCHMARK(Update<reference::AdamWUpdate<float>>)->Apply(Shapes);
BENCHMARK(Norm<simd::SumOfSquares>)->Apply(Shapes);
BENCHMARK(Norm<reference::SumOfSquares<float>>)->Apply(Shapes);

}  // namespace
}  // namespace lemma::kernels
