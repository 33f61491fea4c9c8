#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/index.h"
#include "autograd/ops/reduce.h"
#include "datasets/char_tokenizer.h"
#include "datasets/plays.h"
#include "gtest/gtest.h"
#include "nn/optim/adam.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement =
         "No model that sees one token only has a lower loss on the training split than the "
         "pair counts' conditional entropy, 2.4519 of tiny Shakespeare: lower means that "
         "more than one token is seen.",
     .source = "what the course's next steps state",
     .exact = "exact for the split on which the counts were made (Gibbs' inequality), up to the "
              "rounding of float32; a trained table comes within 0.01"});

constexpr int64_t kVocab = 65;
using TokenSpan = absl::Span<const int64_t>;

// How often each token follows each context, where contexts are numbered by `context(i)`.
struct Counts {
  std::vector<double> pairs;  // (contexts, V)
  double total = 0;
};

// Contexts of `order` tokens: 1 is a bigram.
Counts CountsOf(TokenSpan tokens, int order) {
  int64_t contexts = 1;
  for (int i = 0; i < order; ++i) contexts *= kVocab;
  Counts counts{std::vector<double>(contexts * kVocab)};
  for (size_t i = order; i < tokens.size(); ++i) {
    int64_t row = 0;
    for (int j = order; j >= 1; --j) row = row * kVocab + tokens[i - j];
    ++counts.pairs[row * kVocab + tokens[i]];
    ++counts.total;
  }
  return counts;
}

// The loss of the best table: H(next token | context), in nats.
double ConditionalEntropy(const Counts& counts) {
  double entropy = 0;
  for (size_t row = 0; row < counts.pairs.size(); row += kVocab) {
    double sum = 0;
    for (int64_t j = 0; j < kVocab; ++j) sum += counts.pairs[row + j];
    for (int64_t j = 0; j < kVocab; ++j) {
      const double n = counts.pairs[row + j];
      if (n > 0) entropy -= n / counts.total * std::log(n / sum);
    }
  }
  return entropy;
}

// The loss of a table of logits on the whole split: each pair counts as often as it occurs.
class Table {
 public:
  explicit Table(const Counts& counts)
      : logits_(Zeros({static_cast<int64_t>(counts.pairs.size()) / kVocab, kVocab})) {
    const int64_t contexts = logits_.size(0);
    std::vector<float> next(counts.pairs.size()), share(contexts);
    for (int64_t i = 0; i < contexts; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < kVocab; ++j) sum += counts.pairs[i * kVocab + j];
      for (int64_t j = 0; j < kVocab; ++j) {
        const double n = counts.pairs[i * kVocab + j];
        next[i * kVocab + j] = static_cast<float>(sum > 0 ? n / sum : 0);
      }
      share[i] = static_cast<float>(sum / counts.total);
    }
    next_ = FromVector(next, logits_.shape());
    share_ = FromVector(share, {contexts});
    logits_.SetRequiresGrad(true);
  }

  Tensor Loss() const {
    return Sum(share_ * CrossEntropy(logits_, next_, {.reduction = Reduction::kNone}));
  }

  // The least loss of 300 steps on the whole split.
  double Train() {
    optim::AdamW optimizer({{"table", logits_}}, {.lr = 0.1, .weight_decay = 0});
    double least = INFINITY;
    for (int step = 0; step < 300; ++step) {
      const Tensor loss = Loss();
      least = std::min(least, loss.Item());
      optimizer.ZeroGrad();
      Backward(loss);
      optimizer.Step();
    }
    return least;
  }

 private:
  Tensor logits_;  // (contexts, V)
  Tensor next_;    // (contexts, V), the distribution of what follows
  Tensor share_;   // (contexts)
};

std::vector<Measurement> TrainedTable(const std::string& name, TokenSpan tokens, int order) {
  const double bound = ConditionalEntropy(CountsOf(tokens, 1));
  const double loss = Table(CountsOf(tokens, order)).Train();
  std::cout << name << ": bound " << bound << ", trained table " << loss << '\n';
  return {
      AtLeast(absl::StrCat("least loss of a table less the counts', ", name), loss - bound, -1e-6),
      AtMost("of the same", loss - bound, 0.01)};
}

// The first nine tenths.
TokenSpan TrainingSplit(const std::vector<int64_t>& tokens) {
  return TokenSpan(tokens).first(tokens.size() * 9 / 10);
}

std::vector<int64_t> Plays() {
  return *datasets::CharTokenizer::Course().Encode(datasets::MakePlays(1, 200000).text);
}

TEST(Bigram, CannotBeatItsCountsOnPlays) {
  const std::vector<int64_t> tokens = Plays();
  ExpectHolds(TrainedTable("plays", TrainingSplit(tokens), 1));
}

TEST(Bigram, CannotBeatItsCountsOnTinyShakespeare) {
  if (Text().name != "tiny Shakespeare") {
    GTEST_SKIP() << "tiny Shakespeare is not in the data folder (LEMMA_DATA)";
  }
  const TokenSpan split = TrainingSplit(Text().tokens);
  ExpectHolds(Between("conditional entropy of the pair counts of tiny Shakespeare", 2.45185,
                      ConditionalEntropy(CountsOf(split, 1)), 2.45195));
  ExpectHolds(TrainedTable("tiny Shakespeare", split, 1));
}

TEST(Bigram, GoesRedForATableThatSeesTwoTokens) {
  const std::vector<int64_t> tokens = Plays();
  ExpectBroken(TrainedTable("plays", TrainingSplit(tokens), 2));
}

}  // namespace
}  // namespace lemma::propositions
