#include "tools/grading/diagnosis.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/grading/compare.h"
#include "tools/grading/fit.h"
#include "tools/grading/search.h"

namespace lemma::tools::grading {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Explanation Explain(const Exercise& exercise, const Probe& probe, const Mistakes& mistakes,
                    double distance) {
  std::vector<std::string> sentences;
  bool convention = true;
  for (const std::string& id : mistakes.ids()) {
    const Setting& setting = *FindSetting(exercise.knobs, id);
    sentences.push_back(Described(setting, probe));
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

// Numbers that no list holds.
void FitNumbers(const Exercise& exercise, const Search& search, Diagnosis& diagnosis) {
  for (const Knob& knob : exercise.knobs) {
    for (const Setting& setting : knob.wrong) {
      if (!setting.fitted) continue;
      const std::optional<Fit> fit =
          FitNumber(search, absl::StrCat(knob.id, "/", setting.id), setting);
      if (fit) diagnosis.explanations.push_back({fit->mistakes, fit->distance, fit->sentence});
    }
  }
}

}  // namespace

Diagnosis Diagnose(const Exercise& exercise, const std::vector<Probe>& probes,
                   const std::vector<Answer>& answers) {
  const Search search(exercise, probes, answers);
  Diagnosis diagnosis;
  diagnosis.nearest = kInfinity;
  if (search.size() == 0) return diagnosis;
  diagnosis.right = search.Matches({}).first;
  if (diagnosis.right) return diagnosis;
  // As few mistakes as do: one; then a number that no list holds; then two.
  size_t considered = 1;
  for (const Mistakes& mistakes : SinglesAndPairs(exercise.knobs)) {
    if (mistakes.ids().size() > considered) {
      considered = mistakes.ids().size();
      if (diagnosis.explanations.empty()) FitNumbers(exercise, search, diagnosis);
      if (!diagnosis.explanations.empty()) break;
    }
    const auto [matches, distance] = search.Matches(mistakes);
    if (matches) {
      diagnosis.explanations.push_back(Explain(exercise, search.probe(0), mistakes, distance));
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
