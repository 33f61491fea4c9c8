// Softmax, vector code beside the definition. Bytes are those that have to be read and written
// once. Arguments: rows, columns.
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/softmax.h"
#include "autograd/kernels/simd/softmax.h"
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
  const int64_t rows = state.range(0), columns = state.range(1), n = rows * columns;
  const std::vector<float> x = Inputs(n);
  std::vector<float> y(n);
  for (auto _ : state) {
    kKernel(rows, columns, x.data(), y.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 8);
}

template <auto kKernel>
void Backward(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1), n = rows * columns;
  const std::vector<float> dy = Inputs(n), y(n, 0.01f);
  std::vector<float> dx(n);
  for (auto _ : state) {
    kKernel(rows, columns, dy.data(), y.data(), dx.data(), false);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 12);
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Args({4096, 65})->Args({4096, 256})->Args({16, 50257});
}

BENCHMARK(Forward<simd::SoftmaxForward>)->Apply(Shapes);
BENCHMARK(Forward<reference::SoftmaxForward<float>>)->Apply(Shapes);
BENCHMARK(Backward<simd::SoftmaxBackward>)->Apply(Shapes);
BENCHMARK(Backward<reference::SoftmaxBackward<float>>)->Apply(Shapes);
BENCHMARK(Forward<simd::LogSoftmaxForward>)->Apply(Shapes);
BENCHMARK(Backward<simd::LogSoftmaxBackward>)->Apply(Shapes);

}  // namespace
}  // namespace lemma::kernels
