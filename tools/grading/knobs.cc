#include "tools/grading/knobs.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace lemma::tools::grading {

bool Mistakes::Has(absl::string_view id) const {
  return std::any_of(ids_.begin(), ids_.end(), [&](const std::string& own) { return own == id; });
}

std::optional<double> Mistakes::Number(absl::string_view id) const {
  return Has(id) ? number_ : std::nullopt;
}

std::vector<Mistakes> SinglesAndPairs(const std::vector<Knob>& knobs) {
  const auto ids = [](const Knob& knob) {
    std::vector<std::string> names;
    for (const Setting& setting : knob.wrong) {
      if (!setting.fitted) names.push_back(absl::StrCat(knob.id, "/", setting.id));
    }
    return names;
  };
  std::vector<Mistakes> all;
  for (const Knob& knob : knobs) {
    for (const std::string& id : ids(knob)) all.push_back(Mistakes({id}));
  }
  for (size_t i = 0; i < knobs.size(); ++i) {
    for (size_t j = i + 1; j < knobs.size(); ++j) {
      for (const std::string& first : ids(knobs[i])) {
        for (const std::string& second : ids(knobs[j])) all.push_back(Mistakes({first, second}));
      }
    }
  }
  return all;
}

const Setting* FindSetting(const std::vector<Knob>& knobs, absl::string_view id) {
  for (const Knob& knob : knobs) {
    for (const Setting& setting : knob.wrong) {
      if (absl::StrCat(knob.id, "/", setting.id) == id) return &setting;
    }
  }
  return nullptr;
}

}  // namespace lemma::tools::grading
