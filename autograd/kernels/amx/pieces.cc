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
// their depth, or at one depth after the other, and what comes out as a tile of the other side is
// transposed.
LEMMA_AMX void TransposeTile(std::byte* tile) {
  __m512i r[16], t[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) r[i] = _mm512_load_si512(tile + 64 * i);
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 16; i += 8) {
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) {
      t[i + j] = _mm512_shuffle_i32x4(r[i + j], r[i + j + 4], 0x88);
      t[i + j + 4] = _mm512_shuffle_i32x4(r[i + j], r[i + j + 4], 0xdd);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < 8; ++j) {
    _mm512_store_si512(tile + 64 * j, _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88));
    _mm512_store_si512(tile + 64 * (j + 8), _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd));
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

// The nearest bfloat16, as a float; halves away from zero.
LEMMA_AMX_INLINE __m512i Rounded(__m512 x) {
  return _mm512_and_si512(_mm512_add_epi32(Bits(x), _mm512_set1_epi32(0x8000)),
                          _mm512_set1_epi32(static_cast<int>(0xffff0000)));
}

LEMMA_AMX_INLINE __m512i Magnitude(__m512 x) {
  return _mm512_and_si512(Bits(x), _mm512_set1_epi32(0x7fffffff));
}

// Takes the next piece off x and y: pairs of bfloat16, that of x in the lower half.
LEMMA_AMX_INLINE __m512i TakePiece(__m512& x, __m512& y) {
  const __m512i x_piece = Rounded(x), y_piece = Rounded(y);
  x = _mm512_sub_ps(x, _mm512_castsi512_ps(x_piece));
  y = _mm512_sub_ps(y, _mm512_castsi512_ps(y_piece));
  return _mm512_or_si512(_mm512_srli_epi32(x_piece, 16), y_piece);
}

template <bool kWhole>
LEMMA_AMX_INLINE __m512 Load(const float* data, bool row, __mmask16 lanes) {
  if constexpr (kWhole) return _mm512_loadu_ps(data);
  return _mm512_maskz_loadu_ps(row ? lanes : __mmask16{0}, data);
}

// Stores a tile of each piece, 2 * kTileBytes apart. False when an element cannot be cut.
template <bool kWhole>
LEMMA_AMX bool ReadTile(const TileSource<float>& source, std::byte* tile) {
  const __mmask16 x_lanes = Lanes(source.x_lanes), y_lanes = Lanes(source.y_lanes);
  const float* data = source.data;
  const int64_t ahead = kPanelLines * source.row;  // what the next panel, or step, starts with
  __m512i largest = _mm512_setzero_si512();
  for (int64_t i = 0; i < kTileLines; ++i, data += source.row, tile += 64) {
    __m512 x = Load<kWhole>(data, i < source.x_rows, x_lanes);
    __m512 y = Load<kWhole>(data + source.pair, i < source.y_rows, y_lanes);
    _mm_prefetch(data + ahead, _MM_HINT_T0);
    _mm_prefetch(data + ahead + source.pair, _MM_HINT_T0);
    largest = _mm512_max_epu32(largest, _mm512_max_epu32(Magnitude(x), Magnitude(y)));
    _mm512_store_si512(tile, TakePiece(x, y));
    _mm512_store_si512(tile + 2 * kTileBytes, TakePiece(x, y));
    _mm512_store_si512(tile + 4 * kTileBytes, TakePiece(x, y));
  }
  constexpr int kRoundsToInfinity = 0x7f7f8000;
  return _mm512_cmpge_epu32_mask(largest, _mm512_set1_epi32(kRoundsToInfinity)) == 0;
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

}  // namespace

template <typename T>
bool Pack(PanelOf side, const Lines<T>& lines, int64_t begin, int64_t end, std::byte* panel) {
  const bool transposed = (lines.depth_stride == 1) == (side == PanelOf::kB);
  bool usable = true;
  for (int64_t p = begin; p < end; p += kTileDepth) {
    for (int64_t half = 0; half < 2; ++half) {
      std::byte* const tile = panel + p / kTileDepth * kStepBytes<T> + half * kTileBytes;
      const TileSource<T> source = Source(lines, half * kTileLines, p, end);
      usable &= source.Whole() ? ReadTile<true>(source, tile) : ReadTile<false>(source, tile);
      for (int piece = 0; transposed && piece < kPieces<T>; ++piece) {
        TransposeTile(tile + piece * 2 * kTileBytes);
      }
    }
  }
  return usable;
}

template bool Pack(PanelOf, const Lines<float>&, int64_t, int64_t, std::byte*);
template bool Pack(PanelOf, const Lines<BFloat16>&, int64_t, int64_t, std::byte*);

}  // namespace lemma::kernels::amx
