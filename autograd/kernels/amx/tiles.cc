#include "autograd/kernels/amx/tiles.h"

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "autograd/dtype.h"
#include "autograd/kernels/amx/pieces.h"
#include "autograd/kernels/amx/target.h"

namespace lemma::kernels::amx {
namespace {

// Tiles 0 to 3 are the quarters of c, 4 and 5 hold a piece of a, 6 and 7 one of b.
LEMMA_AMX_INLINE void StartTiles(Start start) {
  if (start.data == nullptr) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    return;
  }
  const int64_t row = start.stride * static_cast<int64_t>(sizeof(float));
  _tile_loadd(0, start.data, row);
  _tile_loadd(1, start.data + 16, row);
  _tile_loadd(2, start.data + 16 * start.stride, row);
  _tile_loadd(3, start.data + 16 * start.stride + 16, row);
}

LEMMA_AMX_INLINE void StoreTiles(float* c, int64_t c_row) {
  const int64_t row = c_row * static_cast<int64_t>(sizeof(float));
  _tile_stored(0, c, row);
  _tile_stored(1, c + 16, row);
  _tile_stored(2, c + 16 * c_row, row);
  _tile_stored(3, c + 16 * c_row + 16, row);
}

LEMMA_AMX_INLINE void LoadA(const std::byte* a, int piece) {
  _tile_loadd(4, a + (2 * piece) * kTileBytes, 64);
  _tile_loadd(5, a + (2 * piece + 1) * kTileBytes, 64);
}

LEMMA_AMX_INLINE void LoadB(const std::byte* b, int piece) {
  _tile_loadd(6, b + (2 * piece) * kTileBytes, 64);
  _tile_loadd(7, b + (2 * piece + 1) * kTileBytes, 64);
}

LEMMA_AMX_INLINE void MultiplyTiles() {
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

}  // namespace

TileScope::TileScope() {
  struct alignas(64) Config {
    uint8_t palette = 1;
    uint8_t start_row = 0;
    uint8_t reserved[14] = {};
    uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  };
  const Config config;
  _tile_loadconfig(&config);
}

TileScope::~TileScope() { _tile_release(); }

template <typename T>
void MultiplyPanels(const std::byte* a, const std::byte* b, int64_t steps, Prefetch prefetch,
                    Start start, float* c, int64_t c_row) {
  StartTiles(start);
  for (int64_t step = 0; step < steps; ++step, a += kStepBytes<T>, b += kStepBytes<T>) {
    for (int64_t i = 0; i < prefetch.bytes; i += 64) {
      _mm_prefetch(prefetch.data + i, _MM_HINT_T1);
    }
    prefetch.data += prefetch.bytes;
    if constexpr (kPieces<T> == 3) {
      LoadA(a, 0), LoadB(b, 2), MultiplyTiles();
      LoadB(b, 1), MultiplyTiles();
      LoadA(a, 1), MultiplyTiles();
      LoadB(b, 0), MultiplyTiles();
      LoadA(a, 2), MultiplyTiles();
      LoadA(a, 0), MultiplyTiles();
    } else {
      LoadA(a, 0), LoadB(b, 0), MultiplyTiles();
    }
  }
  StoreTiles(c, c_row);
}

template void MultiplyPanels<float>(const std::byte*, const std::byte*, int64_t, Prefetch, Start,
                                    float*, int64_t);
template void MultiplyPanels<BFloat16>(const std::byte*, const std::byte*, int64_t, Prefetch, Start,
                                       float*, int64_t);

}  // namespace lemma::kernels::amx
