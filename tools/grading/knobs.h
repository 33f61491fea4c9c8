// The known mistakes of an exercise: settings of knobs that its reference turns.
//
//   const std::vector<Knob> knobs = {
//       {.id = "scale", .right = "divides the scores by sqrt(D)", .wrong = {
//           {.id = "none", .what = "does not scale the scores"},
//           {.id = "width", .what = "divides the scores by sqrt(C) = sqrt({C})"}}}};
//   Mistakes({"scale/width", "mask/none"}).Has("mask/none");   // true
//
// The reference computes what the exercise asks for, or, given mistakes, what code with these would
// compute: so wrong answers can be compared with wrong settings, one or two at a time.
#ifndef LEMMA_TOOLS_GRADING_KNOBS_H_
#define LEMMA_TOOLS_GRADING_KNOBS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace lemma::tools::grading {

// A wrong setting.
struct Setting {
  std::string id = {};
  // Goes on after "your output equals one that ..."; {C} stands for a size of the probe.
  std::string what = {};
  // Why it is wrong or right, for `grade explain`, and where it was seen in the wild.
  std::string note = "";
  // Right mathematics that only cannot be exchanged with the course's weights.
  bool convention = false;
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
  explicit Mistakes(std::vector<std::string> ids) : ids_(std::move(ids)) {}
  // A number in the place of a knob's right one, such as a divisor that was fitted.
  static Mistakes WithNumber(double number);
  // These, and the number.
  Mistakes With(double number) const;

  bool Has(absl::string_view id) const;
  const std::vector<std::string>& ids() const { return ids_; }
  std::optional<double> number() const { return number_; }

 private:
  std::vector<std::string> ids_;
  std::optional<double> number_;
};

// Every single mistake, then every pair of two knobs.
std::vector<Mistakes> SinglesAndPairs(const std::vector<Knob>& knobs);

// Null where no knob has it.
const Setting* FindSetting(const std::vector<Knob>& knobs, absl::string_view id);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_KNOBS_H_
