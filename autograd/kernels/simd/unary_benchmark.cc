// Unary functions, vector code beside the definitions. Bytes are those that have to be read and
// written once. Arguments: elements, function.
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/unary.h"
#include "autograd/kernels/simd/unary.h"
#include "autograd/kernels/unary_function.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

template <auto kKernel>
void Forward(benchmark::State& state) {
  const int64_t n = state.range(0);
  std::vector<float> x(n), y(n);
  for (int64_t i = 0; i < n; ++i) x[i] = static_cast<float>(i % 101) / 20.0f + 0.01f;
  for (auto _ : state) {
    kKernel(static_cast<UnaryFunction>(state.range(1)), n, x.data(), y.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * n * 8);
}

void Functions(benchmark::internal::Benchmark* benchmark) {
  for (int64_t function = 0; function <= static_cast<int64_t>(UnaryFunction::kRelu); ++function) {
    benchmark->Args({1 << 18, function})->UseRealTime();
  }
}

BENCHMARK(Forward<simd::UnaryForward>)->Apply(Functions);
BENCHMARK(Forward<reference::UnaryForward<float>>)->Apply(Functions);

}  // namespace
}  // namespace lemma::kernels
