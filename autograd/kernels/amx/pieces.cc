#include "autograd/kernels/amx/pieces.h"

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"
#include "autograd/kernels/amx/target.h"

namespace lemma::kernels::amx {
namespace {

// A tile has 16 rows of 16 pairs, pairs being neighbours in its depth. Of a, its rows are lines of
// the matrix; of b, the pairs of each row are. Memory is read in its own order, either lines along
// their depth, or at one depth after the other, and what would come out as a tile of the other side
// is transposed: floats before they are cut into pieces, bfloat16 as pairs.

// Transposes 16 rows of 16 elements of 32 bits, of `in` `stride` bytes apart, into rows of 64
// bytes. `in` may be `out`.
LEMMA_AMX void Transpose(const std::byte* in, int64_t stride, std::byte* out) {
  __m512i rows[16];
  // Every fourth row makes a vector, so that what is left is to transpose 4 by 4 in its quarters.
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) {
    const std::byte* const first = in + (i % 4) * stride + (i / 4) * 16;
    const auto quarter = [&](int q) LEMMA_AMX_LAMBDA {
      return _mm_loadu_si128(reinterpret_cast<const __m128i*>(first + 4 * q * stride));
    };
    __m512i row = _mm512_castsi128_si512(quarter(0));
    row = _mm512_inserti32x4(row, quarter(1), 1);
    row = _mm512_inserti32x4(row, quarter(2), 2);
    rows[i] = _mm512_inserti32x4(row, quarter(3), 3);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    const __m512i low01 = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    const __m512i high01 = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
    const __m512i low23 = _mm512_unpacklo_epi32(rows[i + 2], rows[i + 3]);
    const __m512i high23 = _mm512_unpackhi_epi32(rows[i + 2], rows[i + 3]);
    _mm512_store_si512(out + 64 * i, _mm512_unpacklo_epi64(low01, low23));
    _mm512_store_si512(out + 64 * (i + 1), _mm512_unpackhi_epi64(low01, low23));
    _mm512_store_si512(out + 64 * (i + 2), _mm512_unpacklo_epi64(high01, high23));
    _mm512_store_si512(out + 64 * (i + 3), _mm512_unpackhi_epi64(high01, high23));
  }
}

// What a tile is read from: for each of its rows, vectors `x` and, at `pair` beyond it, `y`.
template <typename T>
struct TileSource {
  bool along_depth;
  const T* data;
  int64_t row, pair;
  int64_t x_rows, y_rows;    // how many rows have an x, a y; the others are 0
  int64_t x_lanes, y_lanes;  // how many elements each has

  bool Whole() const { return x_rows >= 16 && y_rows >= 16 && x_lanes >= 16 && y_lanes >= 16; }
};

constexpr __mmask16 Lanes(int64_t count) {
  return static_cast<__mmask16>((1u << std::clamp<int64_t>(count, 0, 16)) - 1);
}

LEMMA_AMX_INLINE __m512i Bits(__m512 x) { return _mm512_castps_si512(x); }

LEMMA_AMX_INLINE __m512i UpperHalves(__m512i x) {
  return _mm512_and_si512(x, _mm512_set1_epi32(static_cast<int>(0xffff0000)));
}

// The nearest bfloat16, as a float; halves away from zero.
LEMMA_AMX_INLINE __m512i Rounded(__m512 x) {
  return UpperHalves(_mm512_add_epi32(Bits(x), _mm512_set1_epi32(0x8000)));
}

// The upper half of x in the lower one, that of y in its place.
LEMMA_AMX_INLINE __m512i Pairs(__m512i x, __m512i y) {
  return _mm512_or_si512(_mm512_srli_epi32(x, 16), UpperHalves(y));
}

// Takes the next piece off x and y.
LEMMA_AMX_INLINE __m512i TakePiece(__m512& x, __m512& y) {
  const __m512i x_piece = Rounded(x), y_piece = Rounded(y);
  x = _mm512_sub_ps(x, _mm512_castsi512_ps(x_piece));
  y = _mm512_sub_ps(y, _mm512_castsi512_ps(y_piece));
  return Pairs(x_piece, y_piece);
}

template <bool kWhole>
LEMMA_AMX_INLINE __m512 Load(const float* data, bool row, __mmask16 lanes) {
  if constexpr (kWhole) return _mm512_loadu_ps(data);
  return _mm512_maskz_loadu_ps(row ? lanes : __mmask16{0}, data);
}

// Stores a tile of each piece, 2 * kTileBytes apart. False when an element cannot be cut: what
// would be left of it is NaN then.
template <bool kWhole>
LEMMA_AMX bool ReadTile(const TileSource<float>& source, std::byte* tile) {
  const __mmask16 x_lanes = Lanes(source.x_lanes), y_lanes = Lanes(source.y_lanes);
  const float* data = source.data;
  __m512 left = _mm512_setzero_ps();
  for (int64_t i = 0; i < kTileLines; ++i, data += source.row, tile += 64) {
    __m512 x = Load<kWhole>(data, i < source.x_rows, x_lanes);
    __m512 y = Load<kWhole>(data + source.pair, i < source.y_rows, y_lanes);
    _mm512_store_si512(tile, TakePiece(x, y));
    _mm512_store_si512(tile + 2 * kTileBytes, TakePiece(x, y));
    _mm512_store_si512(tile + 4 * kTileBytes, Pairs(Bits(x), Bits(y)));
    left = _mm512_add_ps(left, _mm512_add_ps(x, y));
  }
  return _mm512_cmp_ps_mask(left, left, _CMP_UNORD_Q) == 0;
}

// Pairs along the depth are in memory as they are in a tile: x is half a row, y the other. At one
// depth after the other they are made of two.
template <bool kWhole>
LEMMA_AMX bool ReadTile(const TileSource<BFloat16>& source, std::byte* tile) {
  const __mmask16 x_lanes = Lanes(source.x_lanes), y_lanes = Lanes(source.y_lanes);
  const BFloat16* data = source.data;
  for (int64_t i = 0; i < kTileLines; ++i, data += source.row, tile += 64) {
    const __m256i x = _mm256_maskz_loadu_epi16(i < source.x_rows ? x_lanes : __mmask16{0}, data);
    const __m256i y =
        _mm256_maskz_loadu_epi16(i < source.y_rows ? y_lanes : __mmask16{0}, data + source.pair);
    if (source.along_depth) {
      _mm256_store_si256(reinterpret_cast<__m256i*>(tile), x);
      _mm256_store_si256(reinterpret_cast<__m256i*>(tile + 32), y);
    } else {
      const __m512i upper = _mm512_slli_epi32(_mm512_cvtepu16_epi32(y), 16);
      _mm512_store_si512(tile, _mm512_or_si512(_mm512_cvtepu16_epi32(x), upper));
    }
  }
  return true;
}

// The tile of the lines from `first` on and of the depth from `begin` on. The vectors of a float's
// tile are 16 apart in the depth, which then runs 0, 16, 1, 17, ...: in any order, as long as it is
// the same for a and b.
template <typename T>
TileSource<T> Source(const Lines<T>& lines, int64_t first, int64_t begin, int64_t end) {
  const T* const data = lines.data + first * lines.line_stride + begin * lines.depth_stride;
  const int64_t count = lines.count - first, depth = end - begin;
  if (lines.depth_stride == 1) {
    return {.along_depth = true,
            .data = data,
            .row = lines.line_stride,
            .pair = 16,
            .x_rows = count,
            .y_rows = count,
            .x_lanes = depth,
            .y_lanes = depth - 16};
  }
  const int64_t stride = lines.depth_stride;
  if constexpr (std::is_same_v<T, float>) {
    return {.along_depth = false,
            .data = data,
            .row = stride,
            .pair = 16 * stride,
            .x_rows = depth,
            .y_rows = depth - 16,
            .x_lanes = count,
            .y_lanes = count};
  } else {
    return {.along_depth = false,
            .data = data,
            .row = 2 * stride,
            .pair = stride,
            .x_rows = (depth + 1) / 2,
            .y_rows = depth / 2,
            .x_lanes = count,
            .y_lanes = count};
  }
}

// Transposes the vectors at `data`, 16 rows of 16 lanes when `whole`; what is missing is 0.
LEMMA_AMX void TransposeVectors(const float* data, int64_t row, bool whole, int64_t rows,
                                int64_t lanes, float* out) {
  auto* const bytes = reinterpret_cast<std::byte*>(out);
  if (whole) {
    const int64_t stride = row * static_cast<int64_t>(sizeof(float));
    return Transpose(reinterpret_cast<const std::byte*>(data), stride, bytes);
  }
  for (int64_t i = 0; i < kTileLines; ++i) {
    _mm512_store_ps(out + 16 * i, Load<false>(data + i * row, i < rows, Lanes(lanes)));
  }
  Transpose(bytes, 64, bytes);
}

// Brings near what is read after it: the same lines of the next panel, or the next depths.
LEMMA_AMX void PrefetchNext(const TileSource<float>& source) {
  static_assert(kPanelLines == kTileDepth);
  for (int64_t i = kPanelLines; i < kPanelLines + kTileLines; ++i) {
    _mm_prefetch(source.data + i * source.row, _MM_HINT_T0);
    _mm_prefetch(source.data + i * source.row + source.pair, _MM_HINT_T0);
  }
}

template <typename T>
bool ReadTile(const TileSource<T>& source, std::byte* tile) {
  return source.Whole() ? ReadTile<true>(source, tile) : ReadTile<false>(source, tile);
}

bool PackTile(const TileSource<float>& source, bool transposed, std::byte* tile) {
  PrefetchNext(source);
  if (!transposed) return ReadTile(source, tile);
  alignas(64) float vectors[2][16 * 16];
  TransposeVectors(source.data, source.row, source.Whole(), source.x_rows, source.x_lanes,
                   vectors[0]);
  TransposeVectors(source.data + source.pair, source.row, source.Whole(), source.y_rows,
                   source.y_lanes, vectors[1]);
  return ReadTile<true>({.along_depth = !source.along_depth,
                         .data = vectors[0],
                         .row = 16,
                         .pair = 16 * 16,
                         .x_rows = 16,
                         .y_rows = 16,
                         .x_lanes = 16,
                         .y_lanes = 16},
                        tile);
}

bool PackTile(const TileSource<BFloat16>& source, bool transposed, std::byte* tile) {
  const bool usable = ReadTile(source, tile);
  if (transposed) Transpose(tile, 64, tile);
  return usable;
}

}  // namespace

template <typename T>
bool Pack(PanelOf side, const Lines<T>& lines, int64_t begin, int64_t end, std::byte* panel) {
  const bool transposed = (lines.depth_stride == 1) == (side == PanelOf::kB);
  bool usable = true;
  for (int64_t p = begin; p < end; p += kTileDepth) {
    for (int64_t half = 0; half < 2; ++half) {
      std::byte* const tile = panel + p / kTileDepth * kStepBytes<T> + half * kTileBytes;
      const TileSource<T> source = Source(lines, half * kTileLines, p, end);
      usable &= PackTile(source, transposed, tile);
    }
  }
  return usable;
}

template bool Pack(PanelOf, const Lines<float>&, int64_t, int64_t, std::byte*);
template bool Pack(PanelOf, const Lines<BFloat16>&, int64_t, int64_t, std::byte*);

}  // namespace lemma::kernels::amx
