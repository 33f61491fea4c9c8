// Layer normalisation of GPTs' rows, vector code beside the definition. Bytes are those that have
// to be read and written once. Arguments: rows, columns.
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/layer_norm.h"
#include "autograd/kernels/simd/layer_norm.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

struct Arrays {
  explicit Arrays(const benchmark::State& state)
      : rows(state.range(0)),
        columns(state.range(1)),
        x(rows * columns),
        y(x.size()),
        dy(x.size(), 0.5f),
        weight(columns, 1.1f),
        bias(columns, 0.1f),
        dweight(columns),
        dbias(columns),
        mean(rows),
        rstd(rows, 1.0f) {
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 101) / 50.0f - 1.0f;
  }
  int64_t rows, columns;
  std::vector<float> x, y, dy, weight, bias, dweight, dbias, mean, rstd;
};

template <auto kKernel>
void Forward(benchmark::State& state) {
  Arrays a(state);
  for (auto _ : state) {
    kKernel(a.rows, a.columns, a.x.data(), a.weight.data(), a.bias.data(), 1e-5, a.y.data(),
            a.mean.data(), a.rstd.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * a.rows * a.columns * 8);
}

template <auto kKernel>
void Backward(benchmark::State& state) {
  Arrays a(state);
  for (auto _ : state) {
    kKernel(a.rows, a.columns, a.dy.data(), a.x.data(), a.weight.data(), a.mean.data(),
            a.rstd.data(), a.y.data(), false, a.dweight.data(), a.dbias.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * a.rows * a.columns * 12);
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()
      ->Args({64, 128})
      ->Args({4096, 128})
      ->Args({4096, 384})
      ->Args({1024, 768});
}

BENCHMARK(Forward<simd::LayerNormForward>)->Apply(Shapes);
BENCHMARK(Forward<reference::LayerNormForward<float>>)->UseRealTime()->Args({4096, 128});
BENCHMARK(Backward<simd::LayerNormBackward>)->Apply(Shapes);
BENCHMARK(Backward<reference::LayerNormBackward<float>>)->UseRealTime()->Args({4096, 128});

}  // namespace
}  // namespace lemma::kernels
