// Cross entropy, vector code beside the definition. Bytes are those that have to be read and
// written once. Arguments: rows, classes.
#include <cstdint>
#include <vector>

#include "autograd/kernels/reference/cross_entropy.h"
#include "autograd/kernels/simd/cross_entropy.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

struct Arrays {
  explicit Arrays(const benchmark::State& state)
      : rows(state.range(0)),
        classes(state.range(1)),
        logits(rows * classes),
        dlogits(logits.size()),
        loss(rows),
        lse(rows, 5.0f),
        targets(rows) {
    for (size_t i = 0; i < logits.size(); ++i) {
      logits[i] = static_cast<float>(i % 101) / 20.0f - 2.5f;
    }
    for (int64_t r = 0; r < rows; ++r) targets[r] = r % classes;
  }
  int64_t rows, classes;
  std::vector<float> logits, dlogits, loss, lse;
  std::vector<int64_t> targets;
};

template <auto kKernel>
void Forward(benchmark::State& state) {
  Arrays a(state);
  for (auto _ : state) {
    kKernel(a.rows, a.classes, a.logits.data(), a.targets.data(), -100, 0.0, a.loss.data(),
            a.lse.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * a.rows * a.classes * 4);
}

template <auto kKernel>
void Backward(benchmark::State& state) {
  Arrays a(state);
  const float scale = 1.0f / static_cast<float>(a.rows);
  for (auto _ : state) {
    kKernel(a.rows, a.classes, a.logits.data(), a.targets.data(), -100, 0.0, a.lse.data(), &scale,
            0, a.dlogits.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * a.rows * a.classes * 8);
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime()->Args({64, 65})->Args({4096, 65})->Args({64, 50257});
}

BENCHMARK(Forward<simd::CrossEntropyForward>)->Apply(Shapes);
BENCHMARK(Forward<reference::CrossEntropyForward<float>>)->Apply(Shapes);
BENCHMARK(Backward<simd::CrossEntropyBackward>)->Apply(Shapes);
BENCHMARK(Backward<reference::CrossEntropyBackward<float>>)->Apply(Shapes);

}  // namespace
}  // namespace lemma::kernels
