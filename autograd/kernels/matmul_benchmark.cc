// Products of the models' layers: forward (y = x W^T), gradient of the input (dx = dy W) and of the
// weight (dW += dy^T x), with float32 and bfloat16 operands, W stored (out, in).
//
//   matmul_benchmark --benchmark_filter=MatMulForward.*4096 --benchmark_repetitions=5

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/kernels/matmul.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

template <typename T>
std::vector<T> Numbers(int64_t count) {
  std::vector<T> numbers(static_cast<size_t>(count));
  uint32_t state = 1;
  for (T& number : numbers) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<T>(static_cast<float>(state >> 8) / (1 << 24) - 0.5f);
  }
  return numbers;
}

template <typename T>
void Run(benchmark::State& state, MatMulCall call, int64_t a_size, int64_t b_size) {
  const std::vector<T> a = Numbers<T>(a_size), b = Numbers<T>(b_size);
  std::vector<float> c(static_cast<size_t>(call.m * call.n));
  call.dtype = DTypeOf<T>();
  call.a.data = a.data();
  call.b.data = b.data();
  call.c = c.data();
  call.c_row = call.n;
  MatMul(call);
  for (auto _ : state) MatMul(call);
  state.counters["FLOP/s"] = benchmark::Counter(2.0 * static_cast<double>(call.m * call.n * call.k),
                                                benchmark::Counter::kIsIterationInvariantRate);
}

template <typename T>
void MatMulForward(benchmark::State& state) {
  const int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  MatMulCall call;
  call.m = rows, call.n = out, call.k = in;
  call.a = {nullptr, in, 1};
  call.b = {nullptr, 1, in};
  Run<T>(state, call, rows * in, in * out);
}

template <typename T>
void MatMulInputGradient(benchmark::State& state) {
  const int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  MatMulCall call;
  call.m = rows, call.n = in, call.k = out;
  call.a = {nullptr, out, 1};
  call.b = {nullptr, in, 1};
  Run<T>(state, call, rows * out, in * out);
}

template <typename T>
void MatMulWeightGradient(benchmark::State& state) {
  const int64_t rows = state.range(0), in = state.range(1), out = state.range(2);
  MatMulCall call;
  call.m = out, call.n = in, call.k = rows;
  call.a = {nullptr, 1, out};
  call.b = {nullptr, in, 1};
  call.accumulate = true;
  Run<T>(state, call, rows * out, rows * in);
}

// Rows (of the batch, all positions), inputs, outputs.
void Layers(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"rows", "in", "out"})->UseRealTime();
  for (const int64_t rows : {1, 64, 768, 4096}) {  // course
    for (const auto& [in, out] :
         {std::pair<int64_t, int64_t>{128, 128}, {128, 384}, {128, 512}, {512, 128}, {128, 65}}) {
      benchmark->Args({rows, in, out});
    }
  }
  for (const auto& [in, out] :
       {std::pair<int64_t, int64_t>{384, 1152}, {384, 384}, {384, 1536}, {1536, 384}}) {
    benchmark->Args({4096, in, out});  // nanogpt-gpu
  }
  for (const int64_t rows : {1, 1024}) {  // gpt2
    for (const auto& [in, out] : {std::pair<int64_t, int64_t>{768, 2304},
                                  {768, 768},
                                  {768, 3072},
                                  {3072, 768},
                                  {768, 50257}}) {
      benchmark->Args({rows, in, out});
    }
  }
}

BENCHMARK_TEMPLATE(MatMulForward, float)->Apply(Layers);
BENCHMARK_TEMPLATE(MatMulInputGradient, float)->Apply(Layers);
BENCHMARK_TEMPLATE(MatMulWeightGradient, float)->Apply(Layers);
BENCHMARK_TEMPLATE(MatMulForward, BFloat16)->Apply(Layers);
BENCHMARK_TEMPLATE(MatMulInputGradient, BFloat16)->Apply(Layers);
BENCHMARK_TEMPLATE(MatMulWeightGradient, BFloat16)->Apply(Layers);

// A call's own cost: a product small enough to be nothing beside it.
void SmallestOneDnnCall(benchmark::State& state) {
  MatMulCall call;
  call.m = call.n = 8, call.k = 8;
  call.a = {nullptr, 8, 1};
  call.b = {nullptr, 8, 1};
  Run<float>(state, call, 64, 64);
}
BENCHMARK(SmallestOneDnnCall);

}  // namespace
}  // namespace lemma::kernels
