#include "autograd/kernels/matmul.h"

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/kernels/amx/matmul.h"
#include "autograd/kernels/eigen/matmul.h"
#include "autograd/kernels/matmul_layout.h"
#include "autograd/kernels/onednn/matmul_plan.h"
#include "autograd/kernels/onednn/product.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/reference/matmul.h"
#include "autograd/kernels/simd/convert.h"
#include "autograd/kernels/simd/few_rows.h"
#include "autograd/kernels/simd/matvec.h"

namespace lemma::kernels {
namespace {

// Below this many multiply-adds plain loops take less time than a call of oneDNN.
constexpr int64_t kTinyMultiplyAdds = 256;

// Products of a batch with less work than this run beside each other; of those with more, each is
// spread over the threads. What they compute is the same.
constexpr int64_t kSmallMultiplyAdds = 2'000'000;

// A thread's share of a batch, at least.
constexpr int64_t kMultiplyAddsPerThread = 64 * 1024;

template <typename T>
const T* At(const MatMulOperand& operand, int64_t b0, int64_t b1) {
  return static_cast<const T*>(operand.data) + b0 * operand.batch[0] + b1 * operand.batch[1];
}

template <typename Out>
Out* CAt(const MatMulCall& call, int64_t b0, int64_t b1) {
  return static_cast<Out*>(call.c) + b0 * call.c_batch[0] + b1 * call.c_batch[1];
}

// Calls fn(i) for i in [0, count), each with `work` multiply-adds.
template <typename Fn>
void ForEach(int64_t count, int64_t work, const Fn& fn) {
  const int64_t grain =
      work >= kSmallMultiplyAdds ? count : 1 + kMultiplyAddsPerThread / std::max<int64_t>(work, 1);
  ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) fn(i);
  });
}

// Calls fn(b0, b1) for each matrix of the batch.
template <typename Fn>
void ForBatch(const MatMulCall& call, const Fn& fn) {
  ForEach(call.batch[0] * call.batch[1], call.m * call.n * call.k,
          [&](int64_t i) { fn(i / call.batch[1], i % call.batch[1]); });
}

template <typename T, typename Out>
void RunReference(const MatMulCall& call) {
  ForBatch(call, [&](int64_t b0, int64_t b1) {
    reference::MatMul<T, Out>(call.m, call.n, call.k, At<T>(call.a, b0, b1), call.a.row, call.a.col,
                              At<T>(call.b, b0, b1), call.b.row, call.b.col, CAt<Out>(call, b0, b1),
                              call.c_row, static_cast<const Accumulator<T>*>(call.bias),
                              call.accumulate);
  });
}

template <typename T, typename Out>
void RunMatVec(const MatMulCall& call) {
  ForBatch(call, [&](int64_t b0, int64_t b1) {
    simd::MatVec<T, Out>(call.n, call.k, At<T>(call.b, b0, b1), call.b.col, At<T>(call.a, b0, b1),
                         static_cast<const float*>(call.bias), CAt<Out>(call, b0, b1),
                         call.accumulate);
  });
}

// False when it is not such a product, or oneDNN is faster; then nothing was done.
bool RunFewRows(const MatMulCall& call) {
  if (call.a.col != 1 || call.b.row != 1 || call.accumulate || call.batch[0] * call.batch[1] != 1 ||
      !simd::FewRowsPay(call.m, call.n, call.k)) {
    return false;
  }
  simd::MultiplyFewRows({.m = call.m,
                         .n = call.n,
                         .k = call.k,
                         .x = static_cast<const float*>(call.a.data),
                         .x_row = call.a.row,
                         .w = static_cast<const float*>(call.b.data),
                         .w_row = call.b.col,
                         .bias = static_cast<const float*>(call.bias),
                         .c = static_cast<float*>(call.c),
                         .c_row = call.c_row});
  return true;
}

void RunEigen(MatMulCall call) {
  JoinBatches(call);
  call.a = WithLines<double, double>(call.a, call.batch, call.m, call.k, Side::kA);
  call.b = WithLines<double, double>(call.b, call.batch, call.k, call.n, Side::kB);
  const auto matrix = [](const MatMulOperand& x, int64_t b0, int64_t b1) {
    const bool transposed = x.col != 1;
    return eigen::Matrix{At<double>(x, b0, b1), transposed ? x.col : x.row, transposed};
  };
  ForBatch(call, [&](int64_t b0, int64_t b1) {
    eigen::MatMul(call.m, call.n, call.k, matrix(call.a, b0, b1), matrix(call.b, b0, b1),
                  CAt<double>(call, b0, b1), call.c_row, static_cast<const double*>(call.bias),
                  call.accumulate);
  });
}

onednn::ProductSpec InnerBatch(const MatMulCall& call) {
  return {.batch = call.batch[1],
          .m = call.m,
          .n = call.n,
          .k = call.k,
          .a_batch = call.a.batch[1],
          .a_row = call.a.row,
          .a_col = call.a.col,
          .b_batch = call.b.batch[1],
          .b_row = call.b.row,
          .b_col = call.b.col,
          .c_batch = call.c_batch[1],
          .c_row = call.c_row,
          .dtype = call.dtype,
          .out_dtype = call.out_dtype,
          .has_bias = call.bias != nullptr,
          .accumulate = call.accumulate};
}

// False when oneDNN has no fast kernel for it; then nothing was done.
template <typename T, typename Out>
bool RunOneDnn(const MatMulCall& call) {
  const auto* plan = onednn::MatMulPlan::Find(InnerBatch(call));
  if (plan == nullptr) return false;
  ForEach(call.batch[0], call.batch[1] * call.m * call.n * call.k, [&](int64_t b0) {
    plan->Run(At<T>(call.a, b0, 0), At<T>(call.b, b0, 0), call.bias, CAt<Out>(call, b0, 0));
  });
  return true;
}

template <typename T, typename Out>
void RunFast(MatMulCall call);

// Rounds `sums` (m, n), or their sum with c, into c.
template <typename Out>
void Finish(const MatMulCall& call, const float* sums, Out* c) {
  if (!call.accumulate && call.c_row == call.n) return simd::Convert(call.m * call.n, sums, c);
  ParallelFor(call.m, 1 + 16384 / call.n, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      for (int64_t j = 0; j < call.n; ++j) {
        Out& out = c[i * call.c_row + j];
        const float sum = sums[i * call.n + j];
        out = static_cast<Out>(call.accumulate ? sum + static_cast<float>(out) : sum);
      }
    }
  });
}

// The product of T in float32, then rounded, some rows at a time.
template <typename T, typename Out>
void RunRounded(const MatMulCall& call) {
  constexpr int64_t kSums = 1 << 20, kRows = 64;
  const int64_t rows = std::min(call.m, std::max(kSums / call.n / kRows * kRows, kRows));
  float* sums = MatMulScratch<float>(Side::kC, rows * call.n);
  for (int64_t b = 0; b < call.batch[0] * call.batch[1]; ++b) {
    const int64_t b0 = b / call.batch[1], b1 = b % call.batch[1];
    for (int64_t row = 0; row < call.m; row += rows) {
      MatMulCall part = call;
      part.batch[0] = part.batch[1] = 1;
      part.m = std::min(rows, call.m - row);
      part.a.data = At<T>(call.a, b0, b1) + row * call.a.row;
      part.b.data = At<T>(call.b, b0, b1);
      MatMulCall in_float = part;
      in_float.out_dtype = DType::kFloat32;
      in_float.c = sums, in_float.c_row = call.n;
      in_float.accumulate = false;
      RunFast<T, float>(in_float);
      Finish(part, sums, CAt<Out>(call, b0, b1) + row * call.c_row);
    }
  }
}

// False when the product is too small to gain, or there are no tiles; then nothing was done.
template <typename T, typename Out>
bool RunTiles(const MatMulCall& call) {
  if (!onednn::HasTiles() || !amx::Pays<T>(call.m, call.n, call.k)) return false;
  if constexpr (std::is_same_v<Out, BFloat16>) {
    if (call.k > amx::kMaxDepth<T>) {
      RunRounded<T, Out>(call);
      return true;
    }
  }
  for (int64_t b0 = 0; b0 < call.batch[0]; ++b0) {
    for (int64_t b1 = 0; b1 < call.batch[1]; ++b1) {
      amx::MatMul<T, Out>({.m = call.m,
                           .n = call.n,
                           .k = call.k,
                           .a = {At<T>(call.a, b0, b1), call.a.row, call.a.col},
                           .b = {At<T>(call.b, b0, b1), call.b.row, call.b.col},
                           .c = CAt<Out>(call, b0, b1),
                           .c_row = call.c_row,
                           .bias = static_cast<const float*>(call.bias),
                           .accumulate = call.accumulate});
    }
  }
  return true;
}

// bfloat16 on a processor without fast products of it: float32 products of copies.
template <typename Out>
void RunAsFloat(MatMulCall call) {
  call.a = WithLines<BFloat16, float>(call.a, call.batch, call.m, call.k, Side::kA);
  call.b = WithLines<BFloat16, float>(call.b, call.batch, call.k, call.n, Side::kB);
  call.dtype = DType::kFloat32;
  if constexpr (std::is_same_v<Out, float>) {
    RunFast<float, float>(call);
  } else {
    RunRounded<float, Out>(call);
  }
}

// float32 and bfloat16.
template <typename T, typename Out>
void RunFast(MatMulCall call) {
  JoinBatches(call);
  if (call.m == 1 && call.b.row == 1 && call.a.col == 1) return RunMatVec<T, Out>(call);
  if (call.m * call.n * call.k <= kTinyMultiplyAdds && call.batch[0] * call.batch[1] <= 2) {
    return RunReference<T, Out>(call);
  }
  call.a = WithLines<T, T>(call.a, call.batch, call.m, call.k, Side::kA);
  call.b = WithLines<T, T>(call.b, call.batch, call.k, call.n, Side::kB);
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Out, float>) {
    if (RunFewRows(call)) return;
  }
  if (RunTiles<T, Out>(call)) return;
  if (InnerBatchIsArray(call) && RunOneDnn<T, Out>(call)) return;
  if (call.batch[1] > 1) {
    const MatMulCall batch = call;
    call.batch[1] = 1;
    for (int64_t b1 = 0; b1 < batch.batch[1]; ++b1) {
      call.a.data = At<T>(batch.a, 0, b1);
      call.b.data = At<T>(batch.b, 0, b1);
      call.c = CAt<Out>(batch, 0, b1);
      RunFast<T, Out>(call);
    }
    return;
  }
  if constexpr (std::is_same_v<T, BFloat16>) {
    RunAsFloat<Out>(call);
  } else {
    RunReference<T, Out>(call);
  }
}

// An empty sum.
template <typename T, typename Out>
void RunBias(const MatMulCall& call) {
  using A = Accumulator<T>;
  const auto* bias = static_cast<const A*>(call.bias);
  ForBatch(call, [&](int64_t b0, int64_t b1) {
    reference::MatMul<T, Out>(call.m, call.n, 0, nullptr, 0, 0, nullptr, 0, 0,
                              CAt<Out>(call, b0, b1), call.c_row, bias, call.accumulate);
  });
}

template <typename T, typename Out>
void Run(const MatMulCall& call) {
  LEMMA_CHECK(call.out_dtype == DTypeOf<Out>());
  if (call.k == 0) {
    RunBias<T, Out>(call);
  } else if constexpr (std::is_same_v<T, double>) {
    RunEigen(call);
  } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, BFloat16>) {
    RunFast<T, Out>(call);
  } else {
    RunReference<T, Out>(call);
  }
}

}  // namespace

void MatMul(const MatMulCall& given) {
  MatMulCall call = given;
  if (call.m == 1) call.c_row = call.n;
  LEMMA_CHECK(call.m >= 0 && call.n >= 0 && call.k >= 0);
  if (call.m == 0 || call.n == 0 || call.batch[0] <= 0 || call.batch[1] <= 0) return;
  LEMMA_CHECK(call.c_row >= call.n, "rows of c are ", call.c_row, " apart, have ", call.n,
              " columns");
  switch (call.dtype) {
    case DType::kFloat32:
      return Run<float, float>(call);
    case DType::kBFloat16:
      return call.out_dtype == DType::kFloat32 ? Run<BFloat16, float>(call)
                                               : Run<BFloat16, BFloat16>(call);
    case DType::kFloat64:
      return Run<double, double>(call);
    case DType::kInt32:
      return Run<int32_t, int32_t>(call);
    case DType::kInt64:
      return Run<int64_t, int64_t>(call);
    case DType::kBool:
      LEMMA_CHECK(call.dtype != DType::kBool);
  }
}

bool HasFastBFloat16() { return onednn::HasFastBFloat16(); }

int64_t MatMulPrimitivesCreated() { return onednn::ProductsCreated(); }

}  // namespace lemma::kernels
