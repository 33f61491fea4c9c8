// Attention of GPTs with packed q, k and v: GFLOP/s count the scores that the causal mask lets
// through, two products forward and five backward. Arguments: B, H, T, D.
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/kernels/attention_args.h"
#include "autograd/kernels/reference/attention.h"
#include "autograd/kernels/simd/attention.h"
#include "benchmark/benchmark.h"

namespace lemma::kernels {
namespace {

struct Arrays {
  explicit Arrays(const benchmark::State& state)
      : batch(state.range(0)), heads(state.range(1)), time(state.range(2)), width(state.range(3)) {
    const int64_t c = heads * width, n = batch * time;
    for (auto* array : {&qkv, &dqkv}) array->assign(n * 3 * c, 0.0f);
    for (auto* array : {&out, &dout}) array->assign(n * c, 0.0f);
    lse.assign(batch * heads * time, 0.0f);
    for (size_t i = 0; i < qkv.size(); ++i) qkv[i] = static_cast<float>(i % 97) / 50.0f - 1.0f;
    for (size_t i = 0; i < dout.size(); ++i) dout[i] = static_cast<float>(i % 89) / 50.0f - 1.0f;
  }

  template <typename T>
  HeadView<T> Packed(std::vector<float>& array, int64_t which) const {
    const int64_t c = heads * width;
    return {array.data() + which * c, time * 3 * c, width, 3 * c};
  }
  template <typename T>
  HeadView<T> Plain(std::vector<float>& array) const {
    const int64_t c = heads * width;
    return {array.data(), time * c, width, c};
  }
  AttentionArgs<float> Args() {
    return {.batch = batch,
            .heads = heads,
            .queries = time,
            .keys = time,
            .width = width,
            .q = Packed<const float>(qkv, 0),
            .k = Packed<const float>(qkv, 1),
            .v = Packed<const float>(qkv, 2),
            .scale = 1 / std::sqrt(static_cast<double>(width)),
            .causal = true};
  }
  double Flops(int products) const {
    return static_cast<double>(products * 2 * batch * heads * width) *
           static_cast<double>(time * (time + 1) / 2);
  }

  int64_t batch, heads, time, width;
  std::vector<float> qkv, dqkv, out, dout, lse;
};

template <auto kKernel>
void Forward(benchmark::State& state) {
  Arrays arrays(state);
  for (auto _ : state) {
    kKernel(arrays.Args(), arrays.Plain<float>(arrays.out), arrays.lse.data());
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] =
      benchmark::Counter(arrays.Flops(2), benchmark::Counter::kIsIterationInvariantRate);
}

template <auto kKernel>
void Backward(benchmark::State& state) {
  Arrays arrays(state);
  simd::AttentionForward(arrays.Args(), arrays.Plain<float>(arrays.out), arrays.lse.data());
  for (auto _ : state) {
    kKernel(arrays.Args(), arrays.Plain<const float>(arrays.out),
            arrays.Plain<const float>(arrays.dout), arrays.lse.data(),
            {arrays.Packed<float>(arrays.dqkv, 0), arrays.Packed<float>(arrays.dqkv, 1),
             arrays.Packed<float>(arrays.dqkv, 2)});
    benchmark::ClobberMemory();
  }
  state.counters["FLOP/s"] =
      benchmark::Counter(arrays.Flops(5), benchmark::Counter::kIsIterationInvariantRate);
}

// One query on a cache of T keys, as sampling does it; bytes are those of the keys and values.
void Decode(benchmark::State& state) {
  Arrays arrays(state);
  AttentionArgs<float> args = arrays.Args();
  args.queries = 1;
  for (auto _ : state) {
    simd::AttentionForward(args, arrays.Plain<float>(arrays.out), arrays.lse.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * arrays.batch * arrays.heads * arrays.time *
                          arrays.width * 2 * static_cast<int64_t>(sizeof(float)));
}

void Shapes(benchmark::internal::Benchmark* benchmark) {
  benchmark->UseRealTime();
  for (const int64_t batch : {1, 12, 64}) benchmark->Args({batch, 4, 64, 32});
  benchmark->Args({16, 6, 256, 64})->Args({4, 12, 256, 64})->Args({1, 12, 1024, 64});
}

BENCHMARK(Forward<simd::AttentionForward>)->Apply(Shapes);
BENCHMARK(Backward<simd::AttentionBackward>)->Apply(Shapes);
BENCHMARK(Forward<reference::AttentionForward<float>>)->UseRealTime()->Args({12, 4, 64, 32});
BENCHMARK(Backward<reference::AttentionBackward<float>>)->UseRealTime()->Args({12, 4, 64, 32});
BENCHMARK(Decode)->UseRealTime()->Args({1, 4, 64, 32})->Args({1, 12, 1024, 64});

}  // namespace
}  // namespace lemma::kernels
