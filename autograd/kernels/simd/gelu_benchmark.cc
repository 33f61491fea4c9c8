// GELU, vector code beside the definition. Bytes are those that have to be read and written once.
// Arguments: elements, form.
#include <cstdint>
#include <vector>

#include "autograd/kernels/gelu_form.h"
#include "autograd/kernels/reference/gelu.h"
#include "autograd/kernels/simd/gelu.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

std::vector<float> Inputs(int64_t n) {
  std::vector<float> x(n);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 101) / 20.0f - 2.5f;
  return x;
}

template <auto kKernel>
void Forward(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> x = Inputs(n);
  std::vector<float> y(n);
  for (auto _ : state) {
    kKernel(n, x.data(), y.data(), static_cast<GeluForm>(state.range(1)));
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 8);
}

template <auto kKernel>
void Backward(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> x = Inputs(n), dy(n, 0.5f);
  std::vector<float> dx(n);
  for (auto _ : state) {
    kKernel(n, x.data(), dy.data(), dx.data(), static_cast<GeluForm>(state.range(1)), false);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 12);
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime();
  for (const int64_t form : {0, 1}) benchmark->Args({64 * 512, form})->Args({4096 * 512, form});
}

BENCHMARK(Forward<simd::GeluForward>)->Apply(Shapes);
BENCHMARK(Forward<reference::GeluForward<float>>)->Apply(Shapes);
BENCHMARK(Backward<simd::GeluBackward>)->Apply(Shapes);
BENCHMARK(Backward<reference::GeluBackward<float>>)->Apply(Shapes);

}  // namespace
}  // namespace lemma::kernels
