// The checks that most exercises share. Each returns a Check to put into an exercise's list.
#ifndef LEMMA_TOOLS_GRADING_CHECKS_H_
#define LEMMA_TOOLS_GRADING_CHECKS_H_

#include <string>
#include <vector>

#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

// Every output of the first probe has the reference's shape and the inputs' dtype.
Check ShapesCheck();
// No NaN and no infinity on the first probe.
Check FiniteCheck();
// The same bits from two calls, and from another process.
Check DeterministicCheck();
// The inputs have the same bits after the call, and no thread is left running.
Check CleanCheck();

// Agreement with the reference on one probe. `id` is the check's, `title` says what the probe is
// for.
Check AgreementCheck(const std::string& id, const std::string& title, const std::string& probe,
                     const std::vector<std::string>& needs = {"shapes"},
                     const std::string& redundant = "");

// Agreement on the probe "ordinary", as "values": what agreement on the others stands on.
Check OrdinaryCheck();

// "name 1.2e-07 (at most 1e-05)"
std::string AtMost(const std::string& quantity, double value, double bound);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_CHECKS_H_
