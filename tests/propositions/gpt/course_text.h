// Real text as tokens of the course's alphabet, and batches of it.
#ifndef LEMMA_TESTS_PROPOSITIONS_GPT_COURSE_TEXT_H_
#define LEMMA_TESTS_PROPOSITIONS_GPT_COURSE_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/tensor.h"

namespace lemma::propositions {

struct CourseText {
  std::string name;             // "tiny Shakespeare" or "plays"
  std::vector<int64_t> tokens;  // of the whole text
};

// Tiny Shakespeare where the data folder (LEMMA_DATA) has it, else the text of datasets/plays.h.
// Nothing is downloaded.
const CourseText& Text();

struct TokenBatch {
  Tensor tokens;   // int64 (B, T)
  Tensor targets;  // int64 (B, T): the tokens that follow
};

// Windows that start at random places of the text.
TokenBatch RealBatch(int64_t rows, int64_t length, uint64_t seed);

// The first 64 characters of tiny Shakespeare as one row, and those that follow: the course's
// batch.
TokenBatch FirstBatch();

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_GPT_COURSE_TEXT_H_
