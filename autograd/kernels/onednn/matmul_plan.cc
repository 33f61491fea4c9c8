#include "autograd/kernels/onednn/matmul_plan.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "autograd/dtype.h"
#include "autograd/kernels/matmul_split.h"
#include "autograd/kernels/onednn/product.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/simd/transpose.h"
#include "autograd/kernels/thread_buffer.h"

namespace lemma::kernels::onednn {
namespace {

// A spec as numbers: what plans are found by.
struct Key {
  explicit Key(const ProductSpec& s)
      : words{s.batch,
              s.m,
              s.n,
              s.k,
              s.a_batch,
              s.a_row,
              s.a_col,
              s.b_batch,
              s.b_row,
              s.b_col,
              s.c_batch,
              s.c_row,
              static_cast<int64_t>(s.dtype) << 32 | static_cast<int64_t>(s.out_dtype) << 2 |
                  static_cast<int64_t>(s.has_bias) << 1 | static_cast<int64_t>(s.accumulate)} {
    for (const int64_t word : words) {
      hash = (hash ^ static_cast<uint64_t>(word)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
  }
  bool operator==(const Key& other) const { return words == other.words; }

  std::array<int64_t, 13> words;
  uint64_t hash = 0;
};

struct KeyHash {
  size_t operator()(const Key& key) const { return key.hash; }
};

// The plan of `spec`, of the table that all threads share. When too many shapes came by, the table
// starts again.
std::shared_ptr<const MatMulPlan> SharedPlan(const Key& key, const ProductSpec& spec) {
  constexpr size_t kMaxPlans = 4096;
  static std::mutex mutex;
  static auto* plans = new std::unordered_map<Key, std::shared_ptr<const MatMulPlan>, KeyHash>();
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = plans->find(key); found != plans->end()) return found->second;
  if (plans->size() >= kMaxPlans) plans->clear();
  return plans->emplace(key, std::make_shared<const MatMulPlan>(spec)).first->second;
}

MatMulSplit Split(const ProductSpec& spec) {
  return SplitMatMul({spec.batch, spec.m, spec.n, spec.k, /*a_transposed=*/spec.a_col != 1,
                      /*b_transposed=*/spec.b_col != 1, spec.dtype == DType::kBFloat16});
}

// oneDNN takes a transposed a only whole into its better kernel; a slice runs in one that reads a
// where it lies, which is slow when its lines are far apart. Where enough columns share it, a copy
// costs less.
bool CopiesA(const ProductSpec& spec, const MatMulSplit& split) {
  return spec.dtype == DType::kFloat32 && spec.batch == 1 && spec.a_col >= 384 &&
         split.rows < spec.m && split.cols >= 256;
}

// Rows of a copy: k and a little more, so that they do not meet in the cache either.
int64_t CopyRow(const ProductSpec& spec) { return (spec.k + 15) / 16 * 16 + 16; }

const std::byte* Advance(const void* data, int64_t elements, DType dtype) {
  return static_cast<const std::byte*>(data) + elements * static_cast<int64_t>(SizeOf(dtype));
}

}  // namespace

const MatMulPlan* MatMulPlan::Find(const ProductSpec& spec) {
  struct Slot {
    Key key{ProductSpec{}};
    std::shared_ptr<const MatMulPlan> plan;
  };
  constexpr size_t kSlots = 1024;
  thread_local std::unique_ptr<std::array<Slot, kSlots>> slots;
  if (slots == nullptr) slots = std::make_unique<std::array<Slot, kSlots>>();
  const Key key(spec);
  Slot& slot = (*slots)[key.hash % kSlots];
  if (slot.plan == nullptr || !(slot.key == key)) {
    slot.plan = SharedPlan(key, spec);
    slot.key = key;
  }
  return slot.plan->fast_ ? slot.plan.get() : nullptr;
}

MatMulPlan::MatMulPlan(const ProductSpec& spec)
    : spec_(spec),
      split_(Split(spec)),
      copies_a_(CopiesA(spec, split_)),
      batch_(spec.batch, split_.batch),
      rows_(spec.m, split_.rows),
      cols_(spec.n, split_.cols) {
  // An axis of one part has no other than its last.
  for (int b = batch_.count == 1; b < 2; ++b) {
    for (int r = rows_.count == 1; r < 2; ++r) {
      for (int c = cols_.count == 1; c < 2; ++c) {
        ProductSpec piece = spec;
        piece.batch = b == 1 ? batch_.last : batch_.size;
        piece.m = r == 1 ? rows_.last : rows_.size;
        piece.n = c == 1 ? cols_.last : cols_.size;
        if (copies_a_) piece.a_row = CopyRow(spec), piece.a_col = 1;
        products_[b][r][c] = Product::Create(piece);
        fast_ = fast_ && products_[b][r][c] != nullptr;
      }
    }
  }
}

// Pieces run through the rows first, then through the columns, then through the batch.
void MatMulPlan::RunPiece(int64_t piece, const void* a, const void* b, const void* bias,
                          void* c) const {
  const int64_t row_part = piece % rows_.count;
  const int64_t col_part = piece / rows_.count % cols_.count;
  const int64_t batch_part = piece / rows_.count / cols_.count;
  const int64_t batch = batch_part * batch_.size;
  const int64_t row = row_part * rows_.size;
  const int64_t col = col_part * cols_.size;
  const Product& product = *products_[batch_part == batch_.count - 1][row_part == rows_.count - 1]
                                     [col_part == cols_.count - 1];
  const int64_t c_offset = batch * spec_.c_batch + row * spec_.c_row + col;
  const void* piece_a = Advance(a, batch * spec_.a_batch + row * spec_.a_row, spec_.dtype);
  if (copies_a_) {
    const int64_t rows = std::min(rows_.size, spec_.m - row), copy_row = CopyRow(spec_);
    thread_local ThreadBuffer buffer;
    auto* copy =
        static_cast<float*>(buffer.AtLeast(static_cast<size_t>(rows * copy_row) * sizeof(float)));
    simd::Transpose(spec_.k, rows, static_cast<const float*>(piece_a), spec_.a_col, copy, copy_row);
    piece_a = copy;
  }
  product.Run(
      piece_a, Advance(b, batch * spec_.b_batch + col * spec_.b_col, spec_.dtype),
      spec_.has_bias ? Advance(bias, col, DType::kFloat32) : nullptr,
      static_cast<std::byte*>(c) + c_offset * static_cast<int64_t>(SizeOf(spec_.out_dtype)));
}

void MatMulPlan::Run(const void* a, const void* b, const void* bias, void* c) const {
  const int64_t pieces = rows_.count * cols_.count * batch_.count;
  if (pieces == 1) return RunPiece(0, a, b, bias, c);
  ParallelChunks(pieces, 1,
                 [&](int64_t piece, int64_t, int64_t) { RunPiece(piece, a, b, bias, c); });
}

}  // namespace lemma::kernels::onednn
