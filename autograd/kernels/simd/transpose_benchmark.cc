// Transposing copies, vector code beside the definitions. Bytes are those that have to be read and
// written once. Arguments: rows and columns; B, T, H, D.
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/transpose.h"
#include "autograd/kernels/simd/transpose.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

template <auto kKernel>
void Transposed(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  const std::vector<float> x(rows * columns);
  std::vector<float> y(rows * columns);
  for (auto _ : state) {
    kKernel(rows, columns, x.data(), columns, y.data(), rows);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows * columns * 8);
}

template <auto kKernel>
void Swapped(benchmark::State& state) {
  const int64_t b = state.range(0), t = state.range(1), h = state.range(2), d = state.range(3);
  const std::vector<float> x(b * t * h * d);
  std::vector<float> y(x.size());
  for (auto _ : state) {
    kKernel(b, t, h, d, x.data(), y.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(x.size()) * 8);
}

BENCHMARK(Transposed<simd::Transpose>)
    ->UseRealTime()
    ->Args({128, 512})
    ->Args({1024, 1024})
    ->Args({768, 3072});
BENCHMARK(Transposed<reference::Transpose<float>>)
    ->UseRealTime()
    ->Args({128, 512})
    ->Args({1024, 1024});
BENCHMARK(Swapped<simd::SwapMiddleAxes>)
    ->UseRealTime()
    ->Args({12, 64, 4, 32})
    ->Args({16, 256, 6, 64});
BENCHMARK(Swapped<reference::SwapMiddleAxes<float>>)
    ->UseRealTime()
    ->Args({12, 64, 4, 32})
    ->Args({16, 256, 6, 64});

}  // namespace
}  // namespace lemma::kernels
