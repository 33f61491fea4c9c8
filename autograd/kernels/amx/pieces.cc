#include "autograd/kernels/amx/pieces.h"

#include <immintrin.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "autograd/kernels/amx/target.h"

namespace lemma::kernels::amx {
namespace {

// The two vectors from which each of a tile's lines is made: `x` at the line, `y` at `pair` beyond
// it. They are 16 apart along the depth, so that a tile's depth runs 0, 16, 1, 17, ...: in any
// order, as long as it is the same for a and b.
struct TileSource {
  const float* data;
  int64_t line;
  int64_t pair;
  int64_t x_lines, y_lines;    // how many lines have an x, a y; the others are 0
  __mmask16 x_lanes, y_lanes;  // which of their elements there are

  bool Whole() const {
    return x_lines == kTileLines && y_lines == kTileLines && (x_lanes & y_lanes) == 0xffff;
  }
};

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

// Transposes the 16 x 16 pairs of a tile, in four rounds of exchanges.
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

// Packs one tile of each piece, each line as it comes; they are 2 * kTileBytes apart. Returns the
// largest magnitudes, as bits, of these elements and `largest`.
template <bool kWhole>
LEMMA_AMX_INLINE __m512i PackLines(const TileSource& source, std::byte* tile, __m512i largest) {
  const float* line = source.data;
  const int64_t ahead = 2 * kTileLines * source.line;  // what the next panel, or step, starts with
  for (int64_t i = 0; i < kTileLines; ++i, line += source.line, tile += 64) {
    __m512 x, y;
    if constexpr (kWhole) {
      x = _mm512_loadu_ps(line);
      y = _mm512_loadu_ps(line + source.pair);
    } else {
      x = _mm512_maskz_loadu_ps(i < source.x_lines ? source.x_lanes : __mmask16{0}, line);
      y = _mm512_maskz_loadu_ps(i < source.y_lines ? source.y_lanes : __mmask16{0},
                                line + source.pair);
    }
    _mm_prefetch(line + ahead, _MM_HINT_T0);
    _mm_prefetch(line + ahead + source.pair, _MM_HINT_T0);
    largest = _mm512_max_epu32(largest, _mm512_max_epu32(Magnitude(x), Magnitude(y)));
    _mm512_store_si512(tile, TakePiece(x, y));
    _mm512_store_si512(tile + 2 * kTileBytes, TakePiece(x, y));
    _mm512_store_si512(tile + 4 * kTileBytes, TakePiece(x, y));
  }
  return largest;
}

constexpr __mmask16 FirstLanes(int64_t count) {
  return static_cast<__mmask16>((1u << std::clamp<int64_t>(count, 0, 16)) - 1);
}

// The tile of the lines from `first` on and of the depth from `begin` on.
TileSource Source(const Lines& lines, int64_t first, int64_t begin, int64_t end) {
  TileSource source;
  source.data = lines.data + first * lines.line_stride + begin * lines.depth_stride;
  source.pair = 16 * lines.depth_stride;
  const int64_t count = std::clamp<int64_t>(lines.count - first, 0, kTileLines),
                depth = end - begin;
  if (lines.depth_stride == 1) {
    source.line = lines.line_stride;
    source.x_lines = source.y_lines = count;
    source.x_lanes = FirstLanes(depth), source.y_lanes = FirstLanes(depth - 16);
  } else {
    source.line = lines.depth_stride;
    source.x_lines = std::min<int64_t>(depth, 16);
    source.y_lines = std::clamp<int64_t>(depth - 16, 0, 16);
    source.x_lanes = source.y_lanes = FirstLanes(count);
  }
  return source;
}

LEMMA_AMX bool PackPanel(const Lines& lines, bool transposed, int64_t begin, int64_t end,
                         std::byte* panel) {
  __m512i largest = _mm512_setzero_si512();
  for (int64_t p = begin; p < end; p += kTileDepth) {
    for (int64_t first = 0; first < kPanelLines; first += kTileLines) {
      std::byte* const tile = panel + p / kTileDepth * kStepBytes + first / kTileLines * kTileBytes;
      const TileSource source = Source(lines, first, p, end);
      largest = source.Whole() ? PackLines<true>(source, tile, largest)
                               : PackLines<false>(source, tile, largest);
      for (int piece = 0; transposed && piece < kPieces; ++piece) {
        TransposeTile(tile + piece * 2 * kTileBytes);
      }
    }
  }
  constexpr int kRoundsToInfinity = 0x7f7f8000;
  return _mm512_cmpge_epu32_mask(largest, _mm512_set1_epi32(kRoundsToInfinity)) == 0;
}

}  // namespace

bool Pack(PanelOf side, const Lines& lines, int64_t begin, int64_t end, std::byte* panel) {
  const bool lanes_along_depth = lines.depth_stride == 1;
  return PackPanel(lines, lanes_along_depth == (side == PanelOf::kB), begin, end, panel);
}

}  // namespace lemma::kernels::amx
