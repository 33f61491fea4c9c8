// Checks of a model's logits: what they depend on, and on what they don't.
#ifndef LEMMA_TOOLS_GRADING_MODEL_LOGIT_CHECKS_H_
#define LEMMA_TOOLS_GRADING_MODEL_LOGIT_CHECKS_H_

#include "tools/grading/model/model_check.h"

namespace lemma::tools::grading {

// No NaN and no infinity among parameters and logits.
Finding CheckFinite(const ModelExamination& examination);

// Two calls give the same bits.
Finding CheckDeterministic(const ModelExamination& examination);

// Another token at position t changes the logits at t, and no bit of those before it or of other
// rows. To the bit, because a weight that the mask sets to 0 adds exactly nothing: whatever changes
// at all has been seen.
Finding CheckCausality(const ModelExamination& examination);

// Logits by way of the cache, one token at a time and in pieces, are those without it, up to 1e-5
// of the largest: a product of one row may add in another order than one of many.
Finding CheckCache(const ModelExamination& examination);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_LOGIT_CHECKS_H_
