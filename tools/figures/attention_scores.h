// What each head of a GPT does, in numbers.
//
// For a text x_0 .. x_{T-1} and a head's matrix A, whose row i says whom position i attends to:
//
//   previous   mean over i >= 1 of A[i, i-1]
//   duplicate  mean, over the i whose token occurred before, of the sum of A[i, j] over j < i with
//              x_j = x_i
//   induction  mean, over the i whose token occurred before, of the sum of A[i, j] over 1 <= j <= i
//              with x_{j-1} = x_i: on what followed that token
//   entropy    mean over i of -sum_j A[i, j] ln A[i, j], in nats; at most the mean of ln(i + 1)
//
// Elhage et al., "A Mathematical Framework for Transformer Circuits" (2021), and Olsson et al.,
// arXiv:2209.11895, for the previous-token and induction heads; Wang et al., arXiv:2211.00593, for
// duplicate-token heads. As Olsson et al. do it, induction is best read off random tokens that are
// repeated once, where nothing else tells what comes next: T/2 random tokens, then the same again.
// A token that occurs twice in such a half (which only a vocabulary smaller than it makes
// necessary) counts by the sums above.
//
// Uniform attention, A[i, j] = 1 / (i + 1), gets scores too: what a head without a preference has.
#ifndef LEMMA_TOOLS_FIGURES_ATTENTION_SCORES_H_
#define LEMMA_TOOLS_FIGURES_ATTENTION_SCORES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/random.h"
#include "models/gpt/gpt.h"
#include "tools/figures/attention_maps.h"

namespace lemma::tools {

// A mean over no position (a text without a repetition) is NaN.
struct HeadScores {
  double previous = 0;
  double duplicate = 0;
  double induction = 0;
  double entropy = 0;  // nats
};

// Of one matrix (T, T) in rows, and the T tokens that it is about.
HeadScores ScoresOf(absl::Span<const float> weights, absl::Span<const int64_t> tokens);

// Of uniform causal attention over the tokens.
HeadScores UniformScores(absl::Span<const int64_t> tokens);

// One half of `length` / 2 tokens drawn without replacement where the vocabulary has enough, with
// it otherwise, and then the same half again.
std::vector<int64_t> RepeatedRandomTokens(int64_t length, int64_t vocab, Generator& generator);

struct ScoreTable {
  struct Row {
    HeadIndex index;
    HeadScores on_text;
    HeadScores on_repeats;
  };
  std::vector<Row> rows;  // as `heads`
  HeadScores uniform_on_text;
  HeadScores uniform_on_repeats;
  int64_t repeats = 0;        // random texts that on_repeats are means over
  int64_t repeat_length = 0;  // tokens of each, both halves
};

// Scores of the chosen heads on a text and on 16 repeated random texts, drawn from `seed`, as long
// as the context allows (at most 64 tokens).
ScoreTable ScoreHeads(models::Gpt& model, absl::Span<const int64_t> tokens,
                      const std::vector<HeadIndex>& heads, uint64_t seed = 0);

// The table as text, the uniform row last.
std::string FormatScoreTable(const ScoreTable& table);

// "prev 0.62  dup 0.10  ind 0.03  H 1.20": previous, duplicate and entropy on the text, induction
// on the repeats.
std::string ShortScores(const ScoreTable::Row& row);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FIGURES_ATTENTION_SCORES_H_
