// The tiles of AMX: what multiplies a panel of a by a panel of b (pieces.h).
//
//   const TileScope tiles;
//   MultiplyPanels<float>(a, b, Steps(depth), {}, {bias, 0}, c, c_row);
#ifndef LEMMA_AUTOGRAD_KERNELS_AMX_TILES_H_
#define LEMMA_AUTOGRAD_KERNELS_AMX_TILES_H_

#include <cstddef>
#include <cstdint>

#include "autograd/kernels/amx/target.h"

namespace lemma::kernels::amx {

// While it lives this thread's tiles have 16 rows of 64 bytes.
class TileScope {
 public:
  LEMMA_AMX TileScope();
  LEMMA_AMX ~TileScope();
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;
};

// What to bring near meanwhile: `bytes` at every step, from `data` on.
struct Prefetch {
  const std::byte* data = nullptr;
  int64_t bytes = 0;
};

// What the sums of a block start from, with rows `stride` floats apart: c, or a bias that all rows
// share (stride 0), or nothing.
struct Start {
  const float* data = nullptr;
  int64_t stride = 0;
};

// c (32, 32) = start + a b for panels a and b of so many steps; rows of c are c_row apart. Of the
// nine products of a float's pieces the three smallest are left out. Inside a TileScope.
template <typename T>
LEMMA_AMX void MultiplyPanels(const std::byte* a, const std::byte* b, int64_t steps,
                              Prefetch prefetch, Start start, float* c, int64_t c_row);

}  // namespace lemma::kernels::amx

#endif  // LEMMA_AUTOGRAD_KERNELS_AMX_TILES_H_
