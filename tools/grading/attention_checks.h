// The course's propositions about attention, as checks. They look at the outputs "weights"
// (B, T, T) and "out" (B, T, D), on the probes that they name.
#ifndef LEMMA_TOOLS_GRADING_ATTENTION_CHECKS_H_
#define LEMMA_TOOLS_GRADING_ATTENTION_CHECKS_H_

#include <functional>
#include <string>

#include "autograd/tensor.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

// Rows of A are distributions.
Check SimplexCheck(const std::string& probe);
// Each output lies in the convex hull of the values that its query may see. `values` gives them,
// (B, T, D), from a probe's inputs.
Check HullCheck(const std::string& probe, std::function<Tensor(const Values& inputs)> values);
// Allowed weights are positive, and the first row is (1, 0, ...). On a probe with large scores,
// whose smallest weights a shortcut would drop.
Check PositiveCheck(const std::string& probe);
// A is 0 above the diagonal, exactly.
Check TriangularCheck(const std::string& probe);
// `changed` has the inputs of `probe` but for x at `position`: outputs before it have the same
// bits, those from it on have not.
Check CausalityCheck(const std::string& probe, const std::string& changed, int64_t position);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_ATTENTION_CHECKS_H_
