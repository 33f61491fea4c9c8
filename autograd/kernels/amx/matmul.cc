#include "autograd/kernels/amx/matmul.h"

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/kernels/amx/pieces.h"
#include "autograd/kernels/amx/target.h"
#include "autograd/kernels/amx/tiles.h"
#include "autograd/kernels/parallel.h"
#include "autograd/kernels/thread_buffer.h"

namespace lemma::kernels::amx {
namespace {

// What is packed at a time, kMaxDepth deep: these lines of the shorter side of c, for all threads;
// these lines of the longer side, for one thread, in its L2.
constexpr int64_t kMaxShared = 2048;
constexpr int64_t kMaxOwn = 256;

// Bytes of shared panels that stay in the L2 beside the own ones.
constexpr int64_t kMaxNear = 1 << 20;

constexpr int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// `length` in equal parts of at most `most`, but for the last a multiple of `unit`.
int64_t PartSize(int64_t length, int64_t most, int64_t unit) {
  return CeilDiv(CeilDiv(length, CeilDiv(length, most)), unit) * unit;
}

// Lines of the longer side that are one thread's at a time: at least four such parts, where they do
// not become so short that most of the time goes into reading the other side.
int64_t OwnLines(int64_t lines) {
  constexpr int64_t kMinOwn = 128;
  if (lines <= 2 * kMinOwn) return PartSize(lines, CeilDiv(lines, 2), kPanelLines);
  return PartSize(lines, std::clamp(CeilDiv(lines, 4), kMinOwn, kMaxOwn), kPanelLines);
}

// A block of c: the product of a panel of a and a panel of b, where c has no room for all of it.
struct alignas(64) Block {
  float sums[kPanelLines][kPanelLines];
};

// The product of two panels from the matrices themselves, for numbers that cannot be cut into
// pieces.
template <typename T>
void MultiplyPlainly(const Lines<T>& a, const Lines<T>& b, int64_t depth, Block& block) {
  for (int64_t i = 0; i < a.count; ++i) {
    for (int64_t j = 0; j < b.count; ++j) {
      float sum = 0;
      for (int64_t p = 0; p < depth; ++p) {
        sum += static_cast<float>(a.data[i * a.line_stride + p * a.depth_stride]) *
               static_cast<float>(b.data[j * b.line_stride + p * b.depth_stride]);
      }
      block.sums[i][j] = sum;
    }
  }
}

LEMMA_AMX_INLINE __m512 Load(const float* c, __mmask16 lanes) {
  return _mm512_maskz_loadu_ps(lanes, c);
}

LEMMA_AMX_INLINE __m512 Load(const BFloat16* c, __mmask16 lanes) {
  return _mm512_castsi512_ps(
      _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, c)), 16));
}

LEMMA_AMX_INLINE void Store(__m512 sum, float* c, __mmask16 lanes) {
  _mm512_mask_storeu_ps(c, lanes, sum);
}

// To nearest, ties to even; below 2^-126 it is 0, as in the tiles.
LEMMA_AMX_INLINE void Store(__m512 sum, BFloat16* c, __mmask16 lanes) {
  _mm256_mask_storeu_epi16(c, lanes, reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(sum)));
}

// c = block [+ bias] [+ c].
template <typename Out>
LEMMA_AMX void Finish(const Block& block, int64_t rows, int64_t cols, const float* bias,
                      bool accumulate, Out* c, int64_t c_row) {
  for (int64_t first = 0; first < cols; first += 16) {
    const auto lanes = static_cast<__mmask16>((1u << std::min<int64_t>(cols - first, 16)) - 1);
    const __m512 bias_lanes = bias == nullptr ? _mm512_setzero_ps() : Load(bias + first, lanes);
    for (int64_t i = 0; i < rows; ++i) {
      Out* const out = c + i * c_row + first;
      __m512 sum = _mm512_add_ps(_mm512_load_ps(&block.sums[i][first]), bias_lanes);
      if (accumulate) sum = _mm512_add_ps(sum, Load(out, lanes));
      Store(sum, out, lanes);
    }
  }
}

// One side of c, and what packing it takes.
template <typename T>
struct Side {
  PanelOf panel_of;
  const T* data;
  int64_t lines;
  int64_t line_stride, depth_stride;

  // The panel from line `first` on, of those before `end`, from `begin` of the depth on.
  Lines<T> Panel(int64_t first, int64_t end, int64_t begin) const {
    return {.data = data + first * line_stride + begin * depth_stride,
            .count = std::min(kPanelLines, end - first),
            .line_stride = line_stride,
            .depth_stride = depth_stride};
  }
};

template <typename T, typename Out>
Side<T> Rows(const Product<T, Out>& p) {
  return {PanelOf::kA, p.a.data, p.m, p.a.row, p.a.col};
}

template <typename T, typename Out>
Side<T> Columns(const Product<T, Out>& p) {
  return {PanelOf::kB, p.b.data, p.n, p.b.col, p.b.row};
}

// Lines of a side between `first` and `end`, of the depth from `begin` on, packed.
template <typename T>
class Panels {
 public:
  Panels(const Side<T>& side, int64_t first, int64_t end, int64_t begin, int64_t depth,
         std::byte* data)
      : side_(side), first_(first), end_(end), begin_(begin), depth_(depth), data_(data) {
    for (int64_t i = 0; i < Count(); ++i) usable_[i].store(true, std::memory_order_relaxed);
  }

  int64_t Count() const { return CeilDiv(end_ - first_, kPanelLines); }
  int64_t FirstLine(int64_t i) const { return first_ + i * kPanelLines; }
  Lines<T> Source(int64_t i) const { return side_.Panel(FirstLine(i), end_, begin_); }
  const std::byte* operator[](int64_t i) const { return data_ + i * PanelBytes<T>(depth_); }
  bool Usable(int64_t i) const { return usable_[i].load(std::memory_order_relaxed); }

  // Packing has as many parts, which any threads may do. Each reads memory in its own order: whole
  // lines where their elements are neighbours, else all lines at some depths.
  int64_t Parts() const { return AlongDepth() ? Count() : Steps(depth_); }

  void PackPart(int64_t part) {
    if (AlongDepth()) return Pack(part, 0, depth_);
    const int64_t begin = part * kTileDepth;
    for (int64_t i = 0; i < Count(); ++i) Pack(i, begin, std::min(depth_, begin + kTileDepth));
  }

 private:
  bool AlongDepth() const { return side_.depth_stride == 1; }

  void Pack(int64_t i, int64_t begin, int64_t end) {
    if (!amx::Pack(side_.panel_of, Source(i), begin, end, data_ + i * PanelBytes<T>(depth_))) {
      usable_[i].store(false, std::memory_order_relaxed);
    }
  }

  const Side<T>& side_;
  const int64_t first_, end_;
  const int64_t begin_, depth_;
  std::byte* const data_;
  std::atomic<bool> usable_[kMaxShared / kPanelLines];
};

// Adds the part of the product that `own` and `shared` make to c. The first part of the depth sets
// c, or adds the bias.
template <typename T, typename Out>
class Multiplication {
 public:
  Multiplication(const Product<T, Out>& product, bool own_rows, int64_t begin, int64_t depth)
      : p_(product),
        own_rows_(own_rows),
        add_c_(product.accumulate || begin > 0),
        bias_(begin == 0 ? product.bias : nullptr),
        depth_(depth) {}

  void Run(const Panels<T>& own, const Panels<T>& shared) const {
    const TileScope tiles;
    if (shared.Count() * PanelBytes<T>(depth_) <= kMaxNear) return RunNear(own, shared);
    // The own panels bring in the next shared one together.
    const int64_t ahead = CeilDiv(kStepBytes<T> / 64, own.Count()) * 64;
    const int64_t steps = Steps(depth_);
    for (int64_t j = 0; j < shared.Count(); ++j) {
      for (int64_t i = 0; i < own.Count(); ++i) {
        const Prefetch next = {shared[j + 1] + i * steps * ahead,
                               j + 1 < shared.Count() ? ahead : 0};
        RunBlock(own, i, shared, j, next);
      }
    }
  }

 private:
  // Where all shared panels stay in the L2: a row of c is written in one go.
  void RunNear(const Panels<T>& own, const Panels<T>& shared) const {
    for (int64_t i = 0; i < own.Count(); ++i) {
      for (int64_t j = 0; j < shared.Count(); ++j) RunBlock(own, i, shared, j, {nullptr, 0});
    }
  }

  void RunBlock(const Panels<T>& own, int64_t i, const Panels<T>& shared, int64_t j,
                Prefetch next) const {
    if (own_rows_) {
      RunBlockOf(own, i, shared, j, next);
    } else {
      RunBlockOf(shared, j, own, i, next);
    }
  }

  void RunBlockOf(const Panels<T>& a, int64_t i, const Panels<T>& b, int64_t j,
                  Prefetch next) const {
    const Lines<T> rows = a.Source(i), cols = b.Source(j);
    const float* const bias = bias_ == nullptr ? nullptr : bias_ + b.FirstLine(j);
    Out* const c = p_.c + a.FirstLine(i) * p_.c_row + b.FirstLine(j);
    const bool usable = a.Usable(i) && b.Usable(j), both = add_c_ && bias != nullptr;
    if constexpr (std::is_same_v<Out, float>) {
      if (usable && !both && rows.count == kPanelLines && cols.count == kPanelLines) {
        PrefetchRows(c);
        const Start start = add_c_ ? Start{c, p_.c_row} : Start{bias, 0};
        return MultiplyPanels<T>(a[i], b[j], Steps(depth_), next, start, c, p_.c_row);
      }
    }
    Block block;
    if (usable) {
      MultiplyPanels<T>(a[i], b[j], Steps(depth_), next, {}, &block.sums[0][0], kPanelLines);
    } else {
      MultiplyPlainly(rows, cols, depth_, block);
    }
    Finish(block, rows.count, cols.count, bias, add_c_, c, p_.c_row);
  }

  LEMMA_AMX void PrefetchRows(const float* c) const {
    for (int64_t i = 0; i < kPanelLines; ++i) {
      _mm_prefetch(c + i * p_.c_row, _MM_HINT_ET0);
      _mm_prefetch(c + i * p_.c_row + 16, _MM_HINT_ET0);
    }
  }

  const Product<T, Out>& p_;
  const bool own_rows_;
  const bool add_c_;
  const float* const bias_;
  const int64_t depth_;
};

// For panels of `lines` lines.
template <typename T>
std::byte* Buffer(ThreadBuffer& buffer, int64_t lines, int64_t depth) {
  const int64_t bytes = CeilDiv(lines, kPanelLines) * PanelBytes<T>(depth);
  return static_cast<std::byte*>(buffer.AtLeast(static_cast<size_t>(bytes)));
}

}  // namespace

template <typename T>
bool Pays(int64_t m, int64_t n, int64_t k) {
  // Below, packing takes more time than the tiles save.
  constexpr int64_t kMinSide = 128, kMinArea = 3 * 128 * 128;
  return std::min({m, n, k}) >= kMinSide && m * n >= kMinArea;
}

template <typename T, typename Out>
void MatMul(const Product<T, Out>& product) {
  LEMMA_CHECK((std::is_same_v<Out, float>) || product.k <= kMaxDepth<T>);
  const bool own_rows = product.m >= product.n;
  const Side<T> own_side = own_rows ? Rows(product) : Columns(product);
  const Side<T> shared_side = own_rows ? Columns(product) : Rows(product);
  const int64_t own_lines = OwnLines(own_side.lines);
  const int64_t shared_lines = PartSize(shared_side.lines, kMaxShared, kPanelLines);
  const int64_t max_depth = PartSize(product.k, kMaxDepth<T>, kTileDepth);
  thread_local ThreadBuffer shared_buffer;
  std::byte* const shared_data = Buffer<T>(shared_buffer, shared_lines, max_depth);
  for (int64_t first = 0; first < shared_side.lines; first += shared_lines) {
    for (int64_t begin = 0; begin < product.k; begin += max_depth) {
      const int64_t depth = std::min(max_depth, product.k - begin);
      Panels<T> shared(shared_side, first, std::min(shared_side.lines, first + shared_lines), begin,
                       depth, shared_data);
      ParallelChunks(shared.Parts(), 1,
                     [&](int64_t part, int64_t, int64_t) { shared.PackPart(part); });
      const Multiplication<T, Out> multiplication(product, own_rows, begin, depth);
      ParallelChunks(own_side.lines, own_lines, [&](int64_t, int64_t from, int64_t to) {
        thread_local ThreadBuffer own_buffer;
        Panels<T> own(own_side, from, to, begin, depth, Buffer<T>(own_buffer, own_lines, depth));
        for (int64_t part = 0; part < own.Parts(); ++part) own.PackPart(part);
        multiplication.Run(own, shared);
      });
    }
  }
}

template bool Pays<float>(int64_t, int64_t, int64_t);
template bool Pays<BFloat16>(int64_t, int64_t, int64_t);
template void MatMul(const Product<float, float>&);
template void MatMul(const Product<BFloat16, float>&);
template void MatMul(const Product<BFloat16, BFloat16>&);

}  // namespace lemma::kernels::amx
