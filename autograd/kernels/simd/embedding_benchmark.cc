// Gather and scatter-add of rows, vector code beside the definitions. Bytes are those that have to
// be read and written once. Arguments: indices, columns, rows of the table.
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/embedding.h"
#include "autograd/kernels/simd/embedding.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

std::vector<int64_t> Index(int64_t count, int64_t rows) {
  std::vector<int64_t> index(count);
  for (int64_t i = 0; i < count; ++i) index[i] = i * 7919 % rows;
  return index;
}

template <auto kKernel>
void Gather(benchmark::State& state) {
  const int64_t count = state.range(0), columns = state.range(1), rows = state.range(2);
  const std::vector<float> table(rows * columns);
  std::vector<float> out(count * columns);
  const std::vector<int64_t> index = Index(count, rows);
  for (auto _ : state) {
    kKernel(count, columns, table.data(), index.data(), out.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * columns * 8);
}

template <auto kKernel>
void Scatter(benchmark::State& state) {
  const int64_t count = state.range(0), columns = state.range(1), rows = state.range(2);
  std::vector<float> table(rows * columns);
  const std::vector<float> src(count * columns, 1e-6f);
  const std::vector<int64_t> index = Index(count, rows);
  for (auto _ : state) {
    kKernel(count, columns, src.data(), index.data(), rows, table.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * count * columns * 12);
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Args({4096, 128, 65})->Args({1024, 768, 50257});
}

BENCHMARK(Gather<simd::GatherRows>)->Apply(Shapes);
BENCHMARK(Gather<reference::GatherRows<float>>)->Apply(Shapes);
BENCHMARK(Scatter<simd::ScatterAddRows>)->Apply(Shapes);
BENCHMARK(Scatter<reference::ScatterAddRows<float>>)->Apply(Shapes);

}  // namespace
}  // namespace lemma::kernels
