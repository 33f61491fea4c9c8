#include "tools/grading/model/logit_checks.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "autograd/create.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/views.h"
#include "tools/grading/checks.h"
#include "tools/grading/model/random_text.h"

namespace lemma::tools::grading {
namespace {

constexpr double kCacheTolerance = 1e-5;

// Logits as float32 numbers in memory, by row and position.
class Numbers {
 public:
  explicit Numbers(const Tensor& logits)
      : dense_(Cast(logits, DType::kFloat32).DetachedContiguous()), v_(dense_.size(2)) {}

  const float* At(int64_t row, int64_t position) const {
    return dense_.data<float>() + (row * dense_.size(1) + position) * v_;
  }
  bool SameBits(const Numbers& other, int64_t row, int64_t position) const {
    return std::memcmp(At(row, position), other.At(row, position),
                       static_cast<size_t>(v_) * sizeof(float)) == 0;
  }
  // The largest distance of two logits; NaN where there is one.
  double Distance(const Numbers& other, int64_t row, int64_t position) const {
    double largest = 0;
    for (int64_t i = 0; i < v_; ++i) {
      const double distance = std::abs(At(row, position)[i] - other.At(row, position)[i]);
      if (!(distance <= largest)) largest = distance;
    }
    return largest;
  }
  double Largest() const {
    double largest = 0;
    for (int64_t i = 0; i < dense_.numel(); ++i) {
      largest = std::max<double>(largest, std::abs(dense_.data<float>()[i]));
    }
    return largest;
  }
  int64_t rows() const { return dense_.size(0); }
  int64_t length() const { return dense_.size(1); }
  int64_t vocab() const { return v_; }

 private:
  Tensor dense_;
  int64_t v_;
};

// A text, once a row, and the position in each row at which a token is changed.
struct Perturbation {
  Tensor tokens;                   // (R, T)
  std::vector<int64_t> positions;  // R of them, rising
};

// As many rows as the budget allows, within what can be held of logits.
int64_t RowsFor(JudgedModel& model) {
  constexpr int64_t kMostLogits = int64_t{1} << 28;
  const int64_t context = model.context();
  const int64_t rows = std::clamp<int64_t>(TokenBudget(model) / context, 8, 64);
  const int64_t fit = std::max<int64_t>(kMostLogits / (context * model.vocab()), 1);
  return std::min({rows, fit, context - 1});
}

Perturbation MakePerturbation(const ModelExamination& e) {
  const int64_t context = e.model.context(), rows = RowsFor(e.model);
  Generator generator(e.seed + 1);
  const Tensor row = RandInt(0, e.model.vocab(), {1, context}, generator);
  Perturbation result = {.tokens = Contiguous(Expand(row, {rows, context})), .positions = {}};
  for (int64_t r = 0; r < rows; ++r) {
    result.positions.push_back(1 + (rows == 1 ? 0 : r * (context - 2) / (rows - 1)));
  }
  return result;
}

// The tokens, with another one at the position of each row but `kept`.
Tensor Changed(const Perturbation& perturbation, int64_t vocab, int64_t kept = -1) {
  std::vector<int64_t> tokens = perturbation.tokens.ToVector<int64_t>();
  const int64_t context = perturbation.tokens.size(1);
  for (int64_t r = 0; r < perturbation.tokens.size(0); ++r) {
    if (r == kept) continue;
    int64_t& token = tokens[static_cast<size_t>(r * context + perturbation.positions[r])];
    token = (token + 1 + r % (vocab - 1)) % vocab;
  }
  return FromVector(tokens, perturbation.tokens.shape());
}

// Whether the logits of row `row` at `position` change when tokens of other rows do.
bool SeesOtherRows(const ModelExamination& e, const Perturbation& perturbation,
                   const Numbers& before, int64_t row, int64_t position) {
  const Tensor others = Changed(perturbation, e.model.vocab(), row);
  return !before.SameBits(Numbers(LogitsOf(e.model, others)), row, position);
}

Finding Leak(const ModelExamination& e, const Perturbation& perturbation, const Numbers& before,
             const Numbers& after, int64_t row, int64_t position) {
  const double change = before.Distance(after, row, position);
  Finding leak = {.passed = false};
  if (SeesOtherRows(e, perturbation, before, row, position)) {
    leak.where = absl::StrCat("row ", row, ", position ", position);
    leak.problem = absl::StrFormat(
        "a logit changes by %.2g with the tokens of other rows of the batch, which are other texts",
        change);
  } else {
    leak.where = absl::StrCat("position ", position);
    leak.problem = absl::StrFormat(
        "a logit changes by %.2g with the token at position %d, which comes later: is there no "
        "mask?",
        change, perturbation.positions[row]);
  }
  return leak;
}

// The lengths of pieces, the first few.
std::string PiecesText(const std::vector<int64_t>& pieces) {
  constexpr size_t kShown = 3;
  const size_t shown = std::min(pieces.size(), kShown);
  return absl::StrCat("pieces of ", absl::StrJoin(pieces.begin(), pieces.begin() + shown, ", "),
                      pieces.size() > kShown ? ", ..." : "");
}

// Compares both ways of computing the logits, relative to the largest of them.
Finding CompareCached(const ModelExamination& e, const std::vector<int64_t>& pieces) {
  int64_t length = 0;
  for (const int64_t piece : pieces) length += piece;
  Generator generator(e.seed + 2);
  const Tensor tokens = RandInt(0, e.model.vocab(), {2, length}, generator);
  const Numbers whole(LogitsOf(e.model, tokens));
  const Tensor by_cache = e.model.CachedLogits(tokens, pieces);
  if (by_cache.shape() != Shape{2, length, e.model.vocab()}) {
    return {.passed = false,
            .problem = absl::StrCat("cached logits are ", by_cache.shape().ToString(), ", not ",
                                    Shape{2, length, e.model.vocab()}.ToString())};
  }
  const Numbers cached(by_cache);
  const double scale = std::max(whole.Largest(), 1e-30);
  double largest = 0;
  int64_t first = -1;
  for (int64_t position = 0; position < length; ++position) {
    for (int64_t row = 0; row < 2; ++row) {
      const double distance = whole.Distance(cached, row, position) / scale;
      if (!(distance <= largest)) largest = distance;
      if (first < 0 && !(distance <= kCacheTolerance)) first = position;
    }
  }
  Finding finding = {.passed = first < 0,
                     .measured = AtMost("largest distance from the uncached logits, of the largest",
                                        largest, kCacheTolerance)};
  if (first >= 0) {
    finding.where = absl::StrCat("position ", first, ", ", PiecesText(pieces));
    finding.problem =
        "the cache changes the model: are positions counted on, and are all keys and values kept?";
  }
  return finding;
}

}  // namespace

Finding CheckFinite(const ModelExamination& e) {
  for (const nn::NamedTensor& named : e.model.Parameters()) {
    const std::vector<float> values = Cast(named.value, DType::kFloat32).ToVector<float>();
    const auto bad =
        std::find_if(values.begin(), values.end(), [](float x) { return !std::isfinite(x); });
    if (bad == values.end()) continue;
    return {.passed = false,
            .where =
                absl::StrCat(named.name, ", element ", bad - values.begin(), " of ", values.size()),
            .problem = absl::StrCat("the value is ", *bad)};
  }
  const NoGrad no_grad;
  Generator generator(e.seed);
  const Numbers logits(
      LogitsOf(e.model, RandomBatch(e.model, 2, e.model.context(), generator).inputs));
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t position = 0; position < logits.length(); ++position) {
      const float* values = logits.At(row, position);
      const float* end = values + logits.vocab();
      const float* bad = std::find_if(values, end, [](float x) { return !std::isfinite(x); });
      if (bad == end) continue;
      return {.passed = false,
              .where = absl::StrCat("position ", position),
              .problem = absl::StrCat("parameters are finite, but the logit of token ",
                                      bad - values, " is ", *bad)};
    }
  }
  return {.measured = absl::StrFormat("largest logit %.3g", logits.Largest())};
}

Finding CheckDeterministic(const ModelExamination& e) {
  const NoGrad no_grad;
  Generator generator(e.seed);
  const Tensor tokens = RandomBatch(e.model, 2, e.model.context(), generator).inputs;
  const Numbers first(LogitsOf(e.model, tokens)), second(LogitsOf(e.model, tokens));
  for (int64_t row = 0; row < 2; ++row) {
    for (int64_t position = 0; position < first.length(); ++position) {
      if (first.SameBits(second, row, position)) continue;
      return {.passed = false,
              .where = absl::StrCat("position ", position),
              .problem = absl::StrFormat("a second call gives logits that differ by %.2g: is "
                                         "dropout still on?",
                                         first.Distance(second, row, position))};
    }
  }
  return {.measured = "the same bits twice"};
}

Finding CheckCausality(const ModelExamination& e) {
  if (e.model.context() < 2 || e.model.vocab() < 2) {
    return {.measured = "a context or vocabulary of one leaves nothing to see"};
  }
  const NoGrad no_grad;
  const Perturbation perturbation = MakePerturbation(e);
  const Numbers before(LogitsOf(e.model, perturbation.tokens));
  const Numbers after(LogitsOf(e.model, Changed(perturbation, e.model.vocab())));
  for (int64_t row = 0; row < before.rows(); ++row) {
    for (int64_t position = 0; position < perturbation.positions[row]; ++position) {
      if (before.SameBits(after, row, position)) continue;
      return Leak(e, perturbation, before, after, row, position);
    }
  }
  for (int64_t row = 0; row < before.rows(); ++row) {
    const int64_t position = perturbation.positions[row];
    if (!before.SameBits(after, row, position)) continue;
    return {.passed = false,
            .where = absl::StrCat("position ", position),
            .problem = "no logit changes with the position's own token: the model does not see it"};
  }
  return {.measured = absl::StrCat("another token at ", before.rows(), " of ", before.length(),
                                   " positions; earlier logits with other bits 0 (exactly 0)")};
}

Finding CheckCache(const ModelExamination& e) {
  const NoGrad no_grad;
  const int64_t context = e.model.context();
  const int64_t steps =
      std::min(context, std::max<int64_t>(TokenBudget(e.model) / 16, /*at least*/ 16));
  const Finding stepwise = CompareCached(e, std::vector<int64_t>(static_cast<size_t>(steps), 1));
  if (!stepwise.passed || context < 3) return stepwise;
  const int64_t half = context / 2;
  const Finding pieces = CompareCached(e, {half, 1, context - half - 1});
  return pieces.passed ? stepwise : pieces;
}

}  // namespace lemma::tools::grading
