// Checks of a model's loss on random tokens, which nothing can predict, and of how it learns.
#ifndef LEMMA_TOOLS_GRADING_MODEL_LOSS_CHECKS_H_
#define LEMMA_TOOLS_GRADING_MODEL_LOSS_CHECKS_H_

#include "tools/grading/model/model_check.h"

namespace lemma::tools::grading {

// The loss of initial values lies between ln V and ln V + 1/2. Logits that know nothing and have
// variance s^2 give ln V + s^2 / 2 on average, and those of usual initial values have s below 1.
// The model is a fresh one, or that of the subject where it is untrained.
Finding CheckInitialLoss(const ModelExamination& examination);

// The loss on random tokens is at least ln V less 4 standard errors: the expected loss of whoever
// does not see the next token is ln V or more, however well trained.
Finding CheckRandomTokens(const ModelExamination& examination);

// 50 steps of AdamW on one text of two different tokens bring the loss below half of ln 2 (or of
// what it was, where that is less): the whole text is known then, and not only how often each token
// occurs.
Finding CheckOverfit(const ModelExamination& examination);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_LOSS_CHECKS_H_
