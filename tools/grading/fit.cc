#include "tools/grading/fit.h"

#include <cmath>
#include <cstddef>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Fitter {
 public:
  Fitter(const Search& search, const std::string& id, const Range& range)
      : search_(search), id_(id), range_(range) {}

  Mistakes With(double number) const { return Mistakes({id_}, number); }

  // The number that comes nearest on probe i, if any comes near.
  std::optional<double> On(size_t i) const {
    const double best = Rounded(i, Refined(i, BestOfGrid(i)));
    // Where any number does, none was found.
    if (search_.MatchesOn(i, With(best * 2))) return std::nullopt;
    return search_.MatchesOn(i, With(best)) ? std::optional(best) : std::nullopt;
  }

 private:
  // Answers in steps, such as tokens, are matched by a stretch of numbers: then its middle.
  double BestOfGrid(size_t i) const {
    double best = range_.low, least = kInfinity;
    std::vector<double> matching;
    for (double number = range_.low; number < range_.high; number *= range_.step) {
      const double distance = search_.DistanceOn(i, With(number));
      if (distance < least) std::tie(best, least) = std::pair(number, distance);
      if (distance == 0 && search_.Matches(With(number)).first) matching.push_back(number);
    }
    return matching.empty() ? best : matching[matching.size() / 2];
  }

  // By golden sections around `start`.
  double Refined(size_t i, double start) const {
    double best = start, least = search_.DistanceOn(i, With(start));
    double low = start / range_.step, high = start * range_.step;
    for (int round = 0; round < 60 && least > 0; ++round) {
      const double a = low + (high - low) * 0.382, b = low + (high - low) * 0.618;
      const double at_a = search_.DistanceOn(i, With(a)), at_b = search_.DistanceOn(i, With(b));
      (at_a < at_b ? high : low) = at_a < at_b ? b : a;
      if (at_a < least) std::tie(best, least) = std::pair(a, at_a);
      if (at_b < least) std::tie(best, least) = std::pair(b, at_b);
    }
    return best;
  }

  // People write 0.9, not 0.90000004: the shortest number near `number` that does as well.
  double Rounded(size_t i, double number) const {
    const double enough = 2 * search_.DistanceOn(i, With(number)) + 1e-9;
    for (int digits = 1; digits <= 4; ++digits) {
      double rounded = 0;
      const std::string text = absl::StrFormat("%.*g", digits, number);
      if (!absl::SimpleAtod(text, &rounded)) continue;
      const Mistakes mistakes = With(rounded);
      if (search_.DistanceOn(i, mistakes) <= enough && search_.MatchesOn(i, mistakes))
        return rounded;
    }
    return number;
  }

  const Search& search_;
  const std::string& id_;
  const Range& range_;
};

// The probe on which what is right is farthest off, in units of its tolerance.
size_t FarthestProbe(const Search& search) {
  size_t farthest = 0;
  double largest = 0;
  for (size_t i = 0; i < search.size(); ++i) {
    const double off = search.DistanceOn(i, {}) / search.probe(i).tolerance;
    if (std::isfinite(off) && off > largest) std::tie(farthest, largest) = std::pair(i, off);
  }
  return farthest;
}

// One number for all.
std::optional<Fit> FitConstant(const Search& search, const Fitter& fitter, const Setting& setting) {
  const size_t i = FarthestProbe(search);
  const std::optional<double> number = fitter.On(i);
  if (!number) return std::nullopt;
  const Mistakes mistakes = fitter.With(*number);
  const auto [matches, distance] = search.Matches(mistakes);
  if (!matches) return std::nullopt;
  return Fit{mistakes, distance, Described(setting, search.probe(i), number)};
}

// One for the first probe, and others for other sizes.
std::optional<Fit> FitVarying(const Search& search, const Fitter& fitter, const Setting& setting) {
  // Where ordinary inputs come out right, the number is the right one.
  if (search.MatchesOn(0, {})) return std::nullopt;
  const std::optional<double> number = fitter.On(0);
  if (!number) return std::nullopt;
  const Mistakes mistakes = fitter.With(*number);
  std::string sentence = Described(setting, search.probe(0), number);
  for (size_t i = 1; i < search.size(); ++i) {
    if (search.MatchesOn(i, mistakes)) continue;
    // Inputs of the same sizes are treated alike.
    if (search.probe(i).sizes == search.probe(0).sizes) return std::nullopt;
    const std::optional<double> other = fitter.On(i);
    if (!other) continue;
    const std::string sizes =
        absl::StrJoin(search.probe(i).sizes, ", ", absl::PairFormatter(" = "));
    absl::StrAppend(&sentence, " (and ", absl::StrFormat("%.4g", *other), " where ", sizes, ")");
    break;
  }
  return Fit{mistakes, search.DistanceOn(0, mistakes), sentence};
}

}  // namespace

std::optional<Fit> FitNumber(const Search& search, const std::string& id, const Setting& setting) {
  const Fitter fitter(search, id, *setting.fitted);
  return setting.fitted->varies ? FitVarying(search, fitter, setting)
                                : FitConstant(search, fitter, setting);
}

}  // namespace lemma::tools::grading
