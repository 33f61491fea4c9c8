// Code whose grade is known: correct solutions, and solutions with a known mistake. `grade prove`
// grades them all.
//
//   const Specimens kSpecimens("causal_attention",
//       {{"fused", Bound(Fused)}},
//       {{"divides_by_the_width", Bound(DividesByTheWidth), {"scale/width"}}});
#ifndef LEMMA_TOOLS_GRADING_SPECIMEN_H_
#define LEMMA_TOOLS_GRADING_SPECIMEN_H_

#include <string>
#include <vector>

#include "autograd/tensor.h"
#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

struct Specimen {
  std::string name;
  Callable function;
  // The mistakes that the diagnosis must name, or for what no output shows, the check that must
  // fail; nothing of a correct solution.
  std::vector<std::string> expected = {};
  std::string exercise = "";

  bool correct() const { return expected.empty(); }
  // What a child is started with: "causal_attention/fused".
  std::string child_name() const { return exercise + "/" + name; }
};

// At namespace scope: makes them known, also to children.
class Specimens {
 public:
  Specimens(const std::string& exercise, std::vector<Specimen> correct,
            std::vector<Specimen> mistaken);

  // Of an exercise, or of all where it is "".
  static std::vector<Specimen> Of(const std::string& exercise);
};

// For specimens whose mistake only one check should see.
//
// 1, but a little more at the third call in a process: for what does not give the same bits twice.
double UnsteadyOne();
// x in float64, where float32 was asked for.
Tensor InFloat64(const Tensor& x);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_SPECIMEN_H_
