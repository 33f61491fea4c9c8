#include "tools/figures/attention_scores.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/create.h"

namespace lemma::tools {
namespace {

constexpr int64_t kRepeats = 16;
constexpr int64_t kLongestRepeat = 64;

class Mean {
 public:
  void Add(double value) {
    sum_ += value;
    ++count_;
  }
  double Value() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : NAN; }

 private:
  double sum_ = 0;
  int64_t count_ = 0;
};

double Entropy(absl::Span<const float> row) {
  double entropy = 0;
  for (const double p : row) {
    if (p > 0) entropy -= p * std::log(p);
  }
  return entropy;
}

struct MeanScores {
  Mean previous, duplicate, induction, entropy;

  void Add(const HeadScores& scores) {
    previous.Add(scores.previous);
    if (!std::isnan(scores.duplicate)) duplicate.Add(scores.duplicate);
    if (!std::isnan(scores.induction)) induction.Add(scores.induction);
    entropy.Add(scores.entropy);
  }
  HeadScores Value() const {
    return {previous.Value(), duplicate.Value(), induction.Value(), entropy.Value()};
  }
};

// The matrix (T, T) of one text and head of A (B, H, T, T).
absl::Span<const float> MatrixOf(const Tensor& maps, int64_t text, int64_t head) {
  const int64_t size = maps.size(3);
  return {maps.data<float>() + (text * maps.size(1) + head) * size * size,
          static_cast<size_t>(size * size)};
}

std::string Cells(const HeadScores& scores) {
  std::string cells;
  for (const double score : {scores.previous, scores.duplicate, scores.induction, scores.entropy}) {
    absl::StrAppend(&cells, std::isnan(score) ? "        -" : absl::StrFormat("%9.3f", score));
  }
  return cells;
}

std::string Short(double score) { return std::isnan(score) ? "-" : absl::StrFormat("%.2f", score); }

}  // namespace

HeadScores ScoresOf(absl::Span<const float> weights, absl::Span<const int64_t> tokens) {
  const auto size = static_cast<int64_t>(tokens.size());
  Mean previous, duplicate, induction, entropy;
  for (int64_t i = 0; i < size; ++i) {
    const absl::Span<const float> row = weights.subspan(i * size, size);
    entropy.Add(Entropy(row));
    if (i > 0) previous.Add(row[i - 1]);
    double same = 0, after_same = 0;
    bool occurred = false;
    for (int64_t j = 0; j < i; ++j) {
      if (tokens[j] != tokens[i]) continue;
      occurred = true;
      same += row[j];
      after_same += row[j + 1];
    }
    if (!occurred) continue;
    duplicate.Add(same);
    induction.Add(after_same);
  }
  return {previous.Value(), duplicate.Value(), induction.Value(), entropy.Value()};
}

HeadScores UniformScores(absl::Span<const int64_t> tokens) {
  const auto size = static_cast<int64_t>(tokens.size());
  std::vector<float> weights(size * size, 0);
  for (int64_t i = 0; i < size; ++i) {
    std::fill_n(weights.begin() + i * size, i + 1, 1.0f / static_cast<float>(i + 1));
  }
  return ScoresOf(weights, tokens);
}

std::vector<int64_t> RepeatedRandomTokens(int64_t length, int64_t vocab, Generator& generator) {
  const int64_t half = length / 2;
  std::vector<int64_t> tokens(std::max(half, vocab));
  if (half <= vocab) {
    generator.RandPerm(absl::MakeSpan(tokens));
  } else {
    generator.RandInt(absl::MakeSpan(tokens), 0, vocab);
  }
  tokens.resize(half);
  tokens.reserve(2 * half);
  for (int64_t i = 0; i < half; ++i) tokens.push_back(tokens[i]);
  return tokens;
}

ScoreTable ScoreHeads(models::Gpt& model, absl::Span<const int64_t> tokens,
                      const std::vector<HeadIndex>& heads, uint64_t seed) {
  ScoreTable table;
  const auto length = static_cast<int64_t>(tokens.size());
  const std::vector<Tensor> maps =
      ObserveAttention(model, FromValues<int64_t>(tokens, {1, length}));
  table.uniform_on_text = UniformScores(tokens);

  // Texts of a context of one token have no half to repeat; they score NaN.
  const int64_t repeat = std::min(model.config().context, kLongestRepeat) / 2 * 2;
  table.repeats = repeat > 0 ? kRepeats : 0;
  table.repeat_length = repeat;
  Generator generator(seed);
  std::vector<int64_t> texts;
  MeanScores uniform;
  for (int64_t r = 0; r < table.repeats; ++r) {
    const std::vector<int64_t> text = RepeatedRandomTokens(repeat, model.config().vocab, generator);
    uniform.Add(UniformScores(text));
    texts.insert(texts.end(), text.begin(), text.end());
  }
  table.uniform_on_repeats = uniform.Value();
  std::vector<Tensor> repeat_maps;
  if (table.repeats > 0) {
    repeat_maps = ObserveAttention(model, FromVector(texts, {table.repeats, repeat}));
  }

  for (const HeadIndex& index : heads) {
    MeanScores on_repeats;
    for (int64_t r = 0; r < table.repeats; ++r) {
      on_repeats.Add(ScoresOf(MatrixOf(repeat_maps[index.layer], r, index.head),
                              absl::MakeConstSpan(texts).subspan(r * repeat, repeat)));
    }
    table.rows.push_back(
        {index, ScoresOf(MatrixOf(maps[index.layer], 0, index.head), tokens), on_repeats.Value()});
  }
  return table;
}

std::string FormatScoreTable(const ScoreTable& table) {
  const std::string names = " previous  duplic.  induct.  entropy";
  std::string text = absl::StrFormat("%-13s %-37s   %s\n%-13s %s   %s\n", "", "on the text",
                                     absl::StrFormat("on %d random texts of %d, halves the same",
                                                     table.repeats, table.repeat_length),
                                     "layer head", names, names);
  for (const ScoreTable::Row& row : table.rows) {
    absl::StrAppendFormat(&text, "%5d %4d    %s    %s\n", row.index.layer, row.index.head,
                          Cells(row.on_text), Cells(row.on_repeats));
  }
  absl::StrAppendFormat(&text, "%-13s %s    %s\n", "uniform", Cells(table.uniform_on_text),
                        Cells(table.uniform_on_repeats));
  return text;
}

std::string ShortScores(const ScoreTable::Row& row) {
  return absl::StrCat("prev ", Short(row.on_text.previous), "  dup ", Short(row.on_text.duplicate),
                      "  ind ", Short(row.on_repeats.induction), "  H ",
                      Short(row.on_text.entropy));
}

}  // namespace lemma::tools
