#include "tools/grading/attention_checks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "Eigen/Core"
#include "absl/strings/str_cat.h"
#include "autograd/ops/slice.h"
#include "tools/grading/checks.h"
#include "tools/grading/compare.h"
#include "tools/grading/convex_hull.h"

namespace lemma::tools::grading {
namespace {

std::string QueryText(int64_t sample, int64_t query) {
  return absl::StrCat("sample ", sample, ", query ", query);
}

// The weights as sample, query, key.
struct Weights {
  explicit Weights(const Tensor& a) : values(Doubles(a)), batch(a.size(0)), time(a.size(1)) {}
  double at(int64_t b, int64_t i, int64_t j) const { return values[(b * time + i) * time + j]; }

  std::vector<double> values;
  int64_t batch, time;
};

Weights AskWeights(const Examination& examination, const std::string& probe) {
  const Tensor expected = examination.Expected(examination.probe(probe))["weights"];
  const Answer answer = examination.Ask(probe);
  const Tensor* given = answer.outputs.Find("weights");
  if (given == nullptr) {
    throw NoAnswer{{.ending = Ending::kMissing, .text = "it gives no weights"}};
  }
  const Tensor a = *given;
  if (a.shape() != expected.shape()) {
    throw NoAnswer{{.ending = Ending::kMissing,
                    .text = absl::StrCat("its weights are ", a.shape().ToString(), ", not ",
                                         expected.shape().ToString())}};
  }
  return Weights(a);
}

Finding CheckSimplex(const Examination& examination, const std::string& probe) {
  const Weights a = AskWeights(examination, probe);
  double farthest = 0, least = 0;
  std::string where;
  for (int64_t b = 0; b < a.batch; ++b) {
    for (int64_t i = 0; i < a.time; ++i) {
      double sum = 0, smallest = 0;
      for (int64_t j = 0; j < a.time; ++j) {
        sum += a.at(b, i, j);
        smallest = a.at(b, i, j) >= 0 ? smallest : std::min(smallest, a.at(b, i, j));
      }
      const double off =
          std::isnan(sum) ? std::numeric_limits<double>::infinity() : std::abs(sum - 1);
      if (off > farthest) where = QueryText(b, i);
      farthest = std::max(farthest, off);
      least = std::min(least, smallest);
    }
  }
  return {.passed = farthest <= 1e-5 && least >= 0,
          .measured = AtMost("largest |row sum - 1|", farthest, 1e-5) +
                      (least < 0 ? absl::StrCat(", smallest weight ", Short(least)) : ""),
          .where = where};
}

Finding CheckHull(const Examination& examination, const std::string& probe,
                  const std::function<Tensor(const Values&)>& values) {
  const Values inputs = InDouble(examination.probe(probe).inputs);
  const Tensor points = values(inputs);
  const Tensor out = examination.Ask(probe).outputs["out"];
  if (out.shape() != points.shape()) {
    return {.passed = false, .problem = "its output does not have the values' shape"};
  }
  const std::vector<double> v = Doubles(points), y = Doubles(out);
  const int64_t time = points.size(1), width = points.size(2);
  double farthest = 0;
  std::string where;
  for (int64_t b = 0; b < points.size(0); ++b) {
    for (int64_t i = 0; i < time; ++i) {
      using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const Eigen::Map<const RowMajor> visible(&v[b * time * width], i + 1, width);
      const Eigen::Map<const Eigen::VectorXd> point(&y[(b * time + i) * width], width);
      const bool finite = point.allFinite();
      const double distance =
          finite ? LocateInHull(visible, point).distance : std::numeric_limits<double>::infinity();
      if (distance > farthest) where = QueryText(b, i);
      farthest = std::max(farthest, distance);
    }
  }
  return {.passed = farthest <= 1e-5,
          .measured = AtMost("largest distance from the hull", farthest, 1e-5),
          .where = where};
}

Finding CheckPositive(const Examination& examination, const std::string& probe) {
  const Weights a = AskWeights(examination, probe);
  double smallest = 1;
  std::string where;
  bool first_row = true;
  for (int64_t b = 0; b < a.batch; ++b) {
    first_row = first_row && std::abs(a.at(b, 0, 0) - 1) <= 1e-6;
    for (int64_t i = 0; i < a.time; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        if (a.at(b, i, j) >= smallest) continue;
        smallest = a.at(b, i, j);
        where = absl::StrCat(QueryText(b, i), ", key ", j);
      }
    }
  }
  return {.passed = smallest > 0 && first_row,
          .measured = absl::StrCat("smallest allowed weight ", Short(smallest), " (above 0)"),
          .where = where,
          .problem = first_row ? "" : "the first query does not have all its weight on itself"};
}

Finding CheckTriangular(const Examination& examination, const std::string& probe) {
  const Weights a = AskWeights(examination, probe);
  int64_t count = 0;
  std::string where;
  for (int64_t b = 0; b < a.batch; ++b) {
    for (int64_t i = 0; i < a.time; ++i) {
      for (int64_t j = i + 1; j < a.time; ++j) {
        if (a.at(b, i, j) == 0) continue;
        if (count++ == 0) {
          where = absl::StrCat(QueryText(b, i), ", key ", j, ": ", Short(a.at(b, i, j)));
        }
      }
    }
  }
  return {.passed = count == 0,
          .measured = absl::StrCat(count, " weights above the diagonal are not 0"),
          .where = where};
}

Finding CheckCausality(const Examination& examination, const std::string& probe,
                       const std::string& changed, int64_t position) {
  const Tensor before = examination.Ask(probe).outputs["out"];
  const Tensor after = examination.Ask(changed).outputs["out"];
  if (before.shape() != after.shape() || before.rank() < 2 || before.size(1) <= position) {
    return {.passed = false, .problem = "its output has no place for each position"};
  }
  const Tensor early = Slice(before, 1, 0, position);
  const BitDifference leak = CompareBits(early, Slice(after, 1, 0, position));
  if (leak.count > 0) {
    return {.passed = false,
            .measured = absl::StrCat(leak.count, " elements before position ", position,
                                     " changed (0 may)"),
            .where = absl::StrCat("out", PlaceOf(leak.first, early.shape())),
            .problem = "a later token changes an earlier output"};
  }
  const Tensor late = Slice(before, 1, position);
  const BitDifference seen = CompareBits(late, Slice(after, 1, position));
  return {.passed = seen.count > 0,
          .measured = absl::StrCat("0 elements before position ", position, " changed, ",
                                   seen.count, " from it on"),
          .problem = "the token changes nothing at all, not even its own output"};
}

}  // namespace

Check SimplexCheck(const std::string& probe) {
  return {.id = "simplex",
          .title = "Step 4, 3.1: the weights of each query are a distribution",
          .needs = {"shapes"},
          .run = [probe](const Examination& e) { return CheckSimplex(e, probe); },
          .redundant = "names the statement that is broken, where agreement gives a distance"};
}

Check HullCheck(const std::string& probe, std::function<Tensor(const Values&)> values) {
  return {.id = "hull",
          .title = "Step 4, 3.2: each output lies in the hull of the values it sees",
          .needs = {"shapes", "simplex"},
          .run = [probe, values](const Examination& e) { return CheckHull(e, probe, values); },
          .redundant = "names the statement that is broken, where agreement gives a distance"};
}

Check PositiveCheck(const std::string& probe) {
  return {.id = "positive",
          .title = "Step 4, 3.3: every allowed weight is positive",
          .needs = {"shapes", "simplex"},
          .run = [probe](const Examination& e) { return CheckPositive(e, probe); }};
}

Check TriangularCheck(const std::string& probe) {
  return {.id = "triangular",
          .title = "Step 4, 5.1: the weights are lower triangular, exactly",
          .needs = {"shapes"},
          .run = [probe](const Examination& e) { return CheckTriangular(e, probe); }};
}

Check CausalityCheck(const std::string& probe, const std::string& changed, int64_t position) {
  return {.id = "causality",
          .title = "Step 4, 5.1: a later token changes no bit of an earlier output",
          .needs = {"shapes"},
          .run = [=](const Examination& e) { return CheckCausality(e, probe, changed, position); }};
}

}  // namespace lemma::tools::grading
