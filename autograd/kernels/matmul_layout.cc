#include "autograd/kernels/matmul_layout.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <new>
#include <type_traits>
#include <utility>

#include "autograd/dtype.h"
#include "autograd/kernels/parallel.h"

namespace lemma::kernels {
namespace {

// Moves the outer batch to the inner place when that is empty.
void MoveInside(MatMulCall& call) {
  if (call.batch[1] != 1) return;
  std::swap(call.batch[0], call.batch[1]);
  std::swap(call.a.batch[0], call.a.batch[1]);
  std::swap(call.b.batch[0], call.b.batch[1]);
  std::swap(call.c_batch[0], call.c_batch[1]);
}

void JoinOuterWithInner(MatMulCall& call) {
  const auto joins = [&](const int64_t(&stride)[2]) {
    return stride[0] == call.batch[1] * stride[1];
  };
  if (call.batch[0] == 1 || !joins(call.a.batch) || !joins(call.b.batch) || !joins(call.c_batch)) {
    return;
  }
  call.batch[1] *= call.batch[0];
  call.batch[0] = 1;
}

void JoinInnerWithRows(MatMulCall& call) {
  if (call.batch[1] == 1 || call.b.batch[1] != 0) return;
  if (call.m == 1) {
    // The same row again and again is no matrix of rows; it would be copied for nothing.
    if (call.c_batch[1] < call.n || call.a.batch[1] == 0) return;
    call.a.row = call.a.batch[1];
    call.c_row = call.c_batch[1];
  } else if (call.a.batch[1] != call.m * call.a.row || call.c_batch[1] != call.m * call.c_row) {
    return;
  }
  call.m *= call.batch[1];
  call.batch[1] = 1;
}

// Strides of axes of length 1 are free; the ones chosen make lines of what is left.
void ChooseFreeStrides(MatMulOperand& operand, int64_t rows, int64_t cols) {
  if (rows == 1) {
    if (cols == 1) operand.col = 1;
    operand.row = operand.col == 1 ? cols : 1;
  } else if (cols == 1) {
    operand.col = operand.row == 1 ? rows : 1;
  }
}

bool HasLines(const MatMulOperand& operand, int64_t rows, int64_t cols) {
  return (operand.col == 1 && operand.row >= cols) || (operand.row == 1 && operand.col >= rows);
}

// True when no two elements of the array share a place: each stride spans all that is inside it.
bool IsArray(int64_t batch, int64_t batch_stride, int64_t rows, int64_t row, int64_t cols,
             int64_t col) {
  std::pair<int64_t, int64_t> axes[] = {{batch_stride, batch}, {row, rows}, {col, cols}};
  std::sort(std::begin(axes), std::end(axes));
  int64_t span = 1;
  for (const auto& [stride, size] : axes) {
    if (size == 1) continue;
    if (stride < span) return false;
    span = stride * size;
  }
  return true;
}

}  // namespace

void JoinBatches(MatMulCall& call) {
  for (int pass = 0; pass < 2; ++pass) {
    MoveInside(call);
    JoinOuterWithInner(call);
    JoinInnerWithRows(call);
  }
  MoveInside(call);
}

bool InnerBatchIsArray(const MatMulCall& call) {
  const int64_t batch = call.batch[1];
  if (batch == 1) return true;
  if (call.a.batch[1] == 0 && call.b.batch[1] == 0) return false;
  const auto fits = [&](const MatMulOperand& x, int64_t rows, int64_t cols) {
    return x.batch[1] == 0 || IsArray(batch, x.batch[1], rows, x.row, cols, x.col);
  };
  return fits(call.a, call.m, call.k) && fits(call.b, call.k, call.n) &&
         IsArray(batch, call.c_batch[1], call.m, call.c_row, call.n, 1);
}

template <typename T>
T* MatMulScratch(Side side, int64_t count) {
  struct Buffer {
    ~Buffer() { std::free(data); }
    T* data = nullptr;
    int64_t size = 0;
  };
  thread_local Buffer buffers[3];
  Buffer& buffer = buffers[static_cast<int>(side)];
  if (buffer.size < count) {
    std::free(buffer.data);
    buffer.size = 0;
    const size_t bytes = (static_cast<size_t>(count) * sizeof(T) + 63) / 64 * 64;
    buffer.data = static_cast<T*>(std::aligned_alloc(64, bytes));
    if (buffer.data == nullptr) throw std::bad_alloc();
    buffer.size = count;
  }
  return buffer.data;
}

template <typename From, typename To>
MatMulOperand WithLines(const MatMulOperand& operand, const int64_t (&batch)[2], int64_t rows,
                        int64_t cols, Side side) {
  MatMulOperand from = operand;
  ChooseFreeStrides(from, rows, cols);
  if (std::is_same_v<From, To> && HasLines(from, rows, cols)) return from;

  // A broadcast batch is copied once. Lines of the copy are columns where elements of a column are
  // neighbours, else rows.
  const int64_t outer = from.batch[0] == 0 ? 1 : batch[0];
  const int64_t inner = from.batch[1] == 0 ? 1 : batch[1];
  const bool by_columns = from.row == 1;
  const int64_t lines = by_columns ? cols : rows, length = by_columns ? rows : cols;
  const int64_t next = by_columns ? from.col : from.row, step = by_columns ? from.row : from.col;
  To* copy = MatMulScratch<To>(side, outer * inner * rows * cols);
  const auto* data = static_cast<const From*>(from.data);
  ParallelFor(outer * inner * lines, 1 + 16384 / length, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t line = i % lines, b1 = i / lines % inner, b0 = i / lines / inner;
      const From* x = data + b0 * from.batch[0] + b1 * from.batch[1] + line * next;
      To* y = copy + i * length;
      for (int64_t j = 0; j < length; ++j) y[j] = static_cast<To>(x[j * step]);
    }
  });
  MatMulOperand to;
  to.data = copy;
  to.row = by_columns ? 1 : length;
  to.col = by_columns ? length : 1;
  to.batch[1] = from.batch[1] == 0 ? 0 : rows * cols;
  to.batch[0] = from.batch[0] == 0 ? 0 : inner * rows * cols;
  ChooseFreeStrides(to, rows, cols);
  return to;
}

template float* MatMulScratch<float>(Side, int64_t);
template MatMulOperand WithLines<float, float>(const MatMulOperand&, const int64_t (&)[2], int64_t,
                                               int64_t, Side);
template MatMulOperand WithLines<BFloat16, BFloat16>(const MatMulOperand&, const int64_t (&)[2],
                                                     int64_t, int64_t, Side);
template MatMulOperand WithLines<BFloat16, float>(const MatMulOperand&, const int64_t (&)[2],
                                                  int64_t, int64_t, Side);
template MatMulOperand WithLines<double, double>(const MatMulOperand&, const int64_t (&)[2],
                                                 int64_t, int64_t, Side);

}  // namespace lemma::kernels
