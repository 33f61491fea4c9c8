#include "tools/grading/model/judged_model.h"

#include "autograd/error.h"

namespace lemma::tools::grading {

Tensor JudgedModel::CachedLogits(const Tensor&, absl::Span<const int64_t>) {
  Fail("model", "it has no CachedLogits; write it, or leave out the check cache");
}

}  // namespace lemma::tools::grading
