// The known mistakes of an exercise: settings of knobs that its reference turns.
//
//   const std::vector<Knob> knobs = {
//       {.id = "scale", .right = "divides the scores by sqrt(D)", .wrong = {
//           {.id = "none", .what = "does not scale the scores"},
//           {.id = "width", .what = "divides the scores by sqrt(C) = sqrt({C})"},
//           {.id = "other", .what = "divides the scores by {number}", .fitted = Range{}}}}};
//   Mistakes({"scale/width", "mask/none"}).Has("mask/none");   // true
//   Mistakes({"scale/other"}, 8).Number("scale/other");        // 8
//
// The reference computes what the exercise asks for, or, given mistakes, what code with these would
// compute: so wrong answers can be compared with wrong settings, one or two at a time.
#ifndef LEMMA_TOOLS_GRADING_KNOBS_H_
#define LEMMA_TOOLS_GRADING_KNOBS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace lemma::tools::grading {

// Where a number is looked for that no list of settings holds.
struct Range {
  double low = 1e-3, high = 1e4;  // both above 0
  double step = 1.05;             // the factor between two tries
  // Whether it may differ with the sizes of the inputs, as sqrt(2 C) does; else one number has to
  // explain all answers.
  bool varies = false;
};

// A wrong setting.
struct Setting {
  std::string id = {};
  // Goes on after "your output equals one that ..."; {C} stands for a size of the probe, {number}
  // for what was fitted.
  std::string what = {};
  // Why it is wrong or right, for `grade explain`, and where it was seen in the wild.
  std::string note = "";
  // Right mathematics that only cannot be exchanged with the course's weights.
  bool convention = false;
  // Of a setting that is a number: the one that explains the answers is sought.
  std::optional<Range> fitted = std::nullopt;
};

struct Knob {
  std::string id = {};
  std::string right = {};  // what the right setting does, as Setting::what
  std::vector<Setting> wrong = {};
};

// Mistakes made at once, as "knob/setting"; what is not named is right.
class Mistakes {
 public:
  Mistakes() = default;
  // `number` is that of the setting which is a number, where one is among them.
  explicit Mistakes(std::vector<std::string> ids, std::optional<double> number = std::nullopt)
      : ids_(std::move(ids)), number_(number) {}

  bool Has(absl::string_view id) const;
  // The number of this setting; nothing where it is not among these mistakes.
  std::optional<double> Number(absl::string_view id) const;
  const std::vector<std::string>& ids() const { return ids_; }
  std::optional<double> number() const { return number_; }

 private:
  std::vector<std::string> ids_;
  std::optional<double> number_;
};

// Every single mistake, then every pair of two knobs. Settings that are numbers are left out.
std::vector<Mistakes> SinglesAndPairs(const std::vector<Knob>& knobs);

// Null where no knob has it.
const Setting* FindSetting(const std::vector<Knob>& knobs, absl::string_view id);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_KNOBS_H_
