// float32 numbers as sums of bfloat16 ones, laid out for the tiles of AMX.
//
// A float32 has 24 significant bits, a bfloat16 has 8: rounding a number to bfloat16, then what
// that leaves, then what is left of that, gives three pieces whose sum is the number itself. The
// product of two numbers is then nine products of pieces, and the six largest of them are the
// product to within 2^-25 of it, half of what rounding it to float32 leaves (Henry, Tang and
// Heinecke 2019, "Leveraging the bfloat16 Artificial Intelligence Datatype For Higher-Precision
// Computations").
//
// bfloat16 numbers are their own only piece.
//
// A panel holds kPanelLines lines, rows of a or columns of b, along the summed dimension: for each
// kTileDepth of it, and for each piece, the largest first, two tiles of 16 lines. What lies beyond
// the last line, or beyond the depth, is 0.
#ifndef LEMMA_AUTOGRAD_KERNELS_AMX_PIECES_H_
#define LEMMA_AUTOGRAD_KERNELS_AMX_PIECES_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "autograd/dtype.h"

namespace lemma::kernels::amx {

inline constexpr int64_t kTileLines = 16;
inline constexpr int64_t kTileDepth = 32;
inline constexpr int64_t kTileBytes = 1024;
inline constexpr int64_t kPanelLines = 2 * kTileLines;

// T is float or BFloat16.
template <typename T>
inline constexpr int kPieces = std::is_same_v<T, float> ? 3 : 1;
template <typename T>
inline constexpr int64_t kStepBytes = kPieces<T> * 2 * kTileBytes;

constexpr int64_t Steps(int64_t depth) { return (depth + kTileDepth - 1) / kTileDepth; }

template <typename T>
constexpr int64_t PanelBytes(int64_t depth) {
  return Steps(depth) * kStepBytes<T>;
}

// Up to kPanelLines lines of a matrix: element (i, p) is data[i * line_stride + p * depth_stride],
// where one of the strides is 1.
template <typename T>
struct Lines {
  const T* data;
  int64_t count;
  int64_t line_stride, depth_stride;
};

// Which side of the product a panel is for: the tiles of b have their elements in another order.
enum class PanelOf { kA, kB };

// Packs elements [begin, end) of the depth of `lines` into `panel`, which holds the depth from 0 on
// and starts on a cache line; `begin` is a multiple of kTileDepth. False when a float among them
// cannot be cut: an infinity, a NaN, or one so near the largest that its first piece is infinite.
// Needs the instructions of AVX-512, as every processor with AMX has them.
template <typename T>
bool Pack(PanelOf side, const Lines<T>& lines, int64_t begin, int64_t end, std::byte* panel);

}  // namespace lemma::kernels::amx

#endif  // LEMMA_AUTOGRAD_KERNELS_AMX_PIECES_H_
