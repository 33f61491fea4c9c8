#include "tools/grading/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "autograd/error.h"
#include "tools/grading/compare.h"

namespace lemma::tools::grading {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Search {
 public:
  Search(const Exercise& exercise, const std::vector<Probe>& probes,
         const std::vector<Answer>& answers)
      : exercise_(exercise) {
    // An exception on special inputs is an answer too, which the reference may give as well.
    const bool ordinary = !answers.empty() && answers[0].ok();
    for (size_t i = 0; i < probes.size(); ++i) {
      const bool threw = ordinary && answers[i].ending == Ending::kThrew;
      if (answers[i].ok() || threw) pairs_.push_back({&probes[i], &answers[i]});
    }
  }

  bool empty() const { return pairs_.empty(); }
  const Probe& first_probe() const { return *pairs_[0].probe; }
  size_t size() const { return pairs_.size(); }

  // On one probe.
  double DistanceOn(size_t i, const Mistakes& mistakes) const {
    const Answer& answer = *pairs_[i].answer;
    try {
      const Values with = exercise_.reference(pairs_[i].probe->inputs, mistakes);
      return answer.ok() ? Compare(answer.outputs, with, exercise_.outputs).relative : kInfinity;
    } catch (const Error&) {
      // These mistakes exclude each other, or don't fit these sizes.
      return answer.ok() ? kInfinity : 0;
    }
  }

  // The largest of all probes where every one is within its tolerance; else what the first is off
  // by, which is infinite where it is near on the first probe alone.
  std::pair<bool, double> Matches(const Mistakes& mistakes) const {
    double largest = 0;
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const double distance = DistanceOn(i, mistakes);
      if (!(distance <= pairs_[i].probe->tolerance)) {
        return {false, i == 0 ? distance : kInfinity};
      }
      largest = std::max(largest, distance);
    }
    return {true, largest};
  }

  // The number in the place of the right one that comes nearest on probe i, if any comes near.
  std::optional<double> FitNumber(size_t i) const {
    double best = 1, least = kInfinity;
    constexpr double kStep = 1.05;
    for (double number = 1e-3; number < 1e4; number *= kStep) {
      const double distance = DistanceOn(i, Mistakes::WithNumber(number));
      if (distance < least) std::tie(best, least) = std::pair(number, distance);
    }
    double low = best / kStep, high = best * kStep;
    for (int round = 0; round < 60; ++round) {
      const double a = low + (high - low) * 0.382, b = low + (high - low) * 0.618;
      const bool left =
          DistanceOn(i, Mistakes::WithNumber(a)) < DistanceOn(i, Mistakes::WithNumber(b));
      (left ? high : low) = left ? b : a;
    }
    best = (low + high) / 2;
    // Where any number does, none was found.
    if (DistanceOn(i, Mistakes::WithNumber(best * 2)) <= pairs_[i].probe->tolerance) {
      return std::nullopt;
    }
    return DistanceOn(i, Mistakes::WithNumber(best)) <= pairs_[i].probe->tolerance
               ? std::optional(best)
               : std::nullopt;
  }

  const Probe& probe(size_t i) const { return *pairs_[i].probe; }

 private:
  struct Pair {
    const Probe* probe;
    const Answer* answer;
  };
  const Exercise& exercise_;
  std::vector<Pair> pairs_;
};

Explanation Explain(const Exercise& exercise, const Probe& probe, const Mistakes& mistakes,
                    double distance) {
  std::vector<std::string> sentences;
  bool convention = true;
  for (const std::string& id : mistakes.ids()) {
    const Setting& setting = *FindSetting(exercise.knobs, id);
    sentences.push_back(WithSizes(setting.what, probe));
    convention = convention && setting.convention;
  }
  return {mistakes, distance, absl::StrJoin(sentences, ", and "), convention};
}

std::string Text(const Diagnosis& diagnosis) {
  if (diagnosis.right) return "";
  if (diagnosis.explanations.empty()) {
    return absl::StrCat("It is none of the known mistakes, alone or in pairs",
                        std::isfinite(diagnosis.nearest)
                            ? absl::StrCat("; the nearest is ", Short(diagnosis.nearest), " away")
                            : "",
                        ".");
  }
  const Explanation& first = diagnosis.explanations[0];
  std::string text = absl::StrCat("Your output equals, to ", Short(first.distance), ", one that ",
                                  first.sentence, ".");
  for (size_t i = 1; i < std::min<size_t>(diagnosis.explanations.size(), 4); ++i) {
    absl::StrAppend(&text, " From outside that cannot be told from one that ",
                    diagnosis.explanations[i].sentence, ".");
  }
  if (first.convention) {
    text +=
        " It is consistent: another convention, not wrong mathematics, but it cannot use the "
        "course's weights.";
  }
  return text;
}

void FitNumber(const Exercise& exercise, const Search& search, Diagnosis& diagnosis) {
  // Where ordinary inputs come out right, the number is the right one.
  if (exercise.fitted.empty() || search.DistanceOn(0, {}) <= search.probe(0).tolerance) return;
  const std::optional<double> number = search.FitNumber(0);
  if (!number) return;
  const auto right = [&](size_t i) { return WithSizes(exercise.fitted_right, search.probe(i)); };
  const Mistakes mistakes = Mistakes::WithNumber(*number);
  for (size_t i = 1; i < search.size(); ++i) {
    const bool same = right(i) == right(0);
    if (same && search.DistanceOn(i, mistakes) > search.probe(i).tolerance) return;
  }
  std::string sentence = absl::StrCat(exercise.fitted, " ", Short(*number), ", not by ", right(0));
  for (size_t i = 1; i < search.size(); ++i) {
    if (right(i) == right(0)) continue;
    const std::optional<double> other = search.FitNumber(i);
    if (!other) continue;
    absl::StrAppend(&sentence, " (and by ", Short(*other), " where it should be ", right(i), ")");
    break;
  }
  diagnosis.explanations.push_back({mistakes, search.DistanceOn(0, mistakes), sentence, false});
}

}  // namespace

Diagnosis Diagnose(const Exercise& exercise, const std::vector<Probe>& probes,
                   const std::vector<Answer>& answers) {
  const Search search(exercise, probes, answers);
  Diagnosis diagnosis;
  diagnosis.nearest = kInfinity;
  if (search.empty()) return diagnosis;
  diagnosis.right = search.Matches({}).first;
  if (diagnosis.right) return diagnosis;
  // As few mistakes as do: one; then a number that no list holds; then two.
  size_t considered = 1;
  for (const Mistakes& mistakes : SinglesAndPairs(exercise.knobs)) {
    if (mistakes.ids().size() > considered) {
      considered = mistakes.ids().size();
      if (diagnosis.explanations.empty()) FitNumber(exercise, search, diagnosis);
      if (!diagnosis.explanations.empty()) break;
    }
    const auto [matches, distance] = search.Matches(mistakes);
    if (matches) {
      diagnosis.explanations.push_back(Explain(exercise, search.first_probe(), mistakes, distance));
    } else {
      diagnosis.nearest = std::min(diagnosis.nearest, distance);
    }
  }
  std::stable_sort(
      diagnosis.explanations.begin(), diagnosis.explanations.end(),
      [](const Explanation& a, const Explanation& b) { return a.distance < b.distance; });
  diagnosis.text = Text(diagnosis);
  return diagnosis;
}

}  // namespace lemma::tools::grading
