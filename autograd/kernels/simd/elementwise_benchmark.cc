// Element-wise kernels, vector code beside the definitions. Bytes are those that have to be read
// and written once.
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/elementwise.h"
#include "autograd/kernels/simd/elementwise.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

template <auto kKernel>
void AddInto(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> x(n, 1e-6f);
  std::vector<float> y(n, 1.0f);
  for (auto _ : state) {
    kKernel(n, x.data(), y.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 12);
}

template <auto kKernel>
void ColumnSum(benchmark::State& state) {
  const int64_t rows = state.range(0), columns = state.range(1);
  const std::vector<float> x(rows * columns, 1e-6f);
  std::vector<float> sum(columns);
  for (auto _ : state) {
    kKernel(rows, columns, x.data(), sum.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * rows * columns * 4);
}

template <auto kKernel>
void Dropout(benchmark::State& state) {
  const int64_t n = state.range(0);
  const std::vector<float> x(n, 1.0f), keep(n, 1.0f);
  std::vector<float> y(n);
  for (auto _ : state) {
    kKernel(n, x.data(), keep.data(), 1.25f, y.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 12);
}

BENCHMARK(AddInto<simd::AddInto>)->UseRealTime()->Arg(8192)->Arg(1 << 20);
BENCHMARK(AddInto<reference::AddInto<float>>)->UseRealTime()->Arg(8192)->Arg(1 << 20);
BENCHMARK(ColumnSum<simd::ColumnSumInto>)
    ->UseRealTime()
    ->Args({64, 512})
    ->Args({4096, 512})
    ->Args({4096, 128});
BENCHMARK(ColumnSum<reference::ColumnSumInto<float>>)
    ->UseRealTime()
    ->Args({64, 512})
    ->Args({4096, 512});
BENCHMARK(Dropout<simd::DropoutApply>)->UseRealTime()->Arg(8192)->Arg(1 << 20);
BENCHMARK(Dropout<reference::DropoutApply<float>>)->UseRealTime()->Arg(8192)->Arg(1 << 20);

}  // namespace
}  // namespace lemma::kernels
