#include "tools/grading/exercises/layer_norm_backward/binding.h"

#include "tools/grading/child_main.h"

namespace lemma::tools::grading {

const Registration kLayerNormBackward("layer_norm_backward/homework", [](const Values& in) {
  return CallLayerNormBackward(homework::LayerNormBackward, in);
});

}  // namespace lemma::tools::grading
