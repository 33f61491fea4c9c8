// How a text is divided: the first int(0.9 n) tokens train, the others validate.
#ifndef LEMMA_DATASETS_SPLIT_H_
#define LEMMA_DATASETS_SPLIT_H_

#include <cstdint>

namespace lemma::datasets {

// int(0.9 * n) as Python computes it, in double: 1,003,854 of tiny Shakespeare's 1,115,394.
inline int64_t TrainCharacters(int64_t n) {
  return static_cast<int64_t>(0.9 * static_cast<double>(n));
}

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_SPLIT_H_
