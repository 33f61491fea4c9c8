// A language model as the judge sees it: tokens in, logits out. What is behind it may be a GPT of
// models/gpt or a class of a teacher's own.
//
//   class MyModel : public JudgedModel { ... };
//   MyModel model(...);
//   Report report = JudgeModel({.model = &model}, {});    // judge_model.h
#ifndef LEMMA_TOOLS_GRADING_MODEL_JUDGED_MODEL_H_
#define LEMMA_TOOLS_GRADING_MODEL_JUDGED_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "autograd/dtype.h"
#include "autograd/tensor.h"
#include "nn/module.h"

namespace lemma::tools::grading {

class JudgedModel {
 public:
  virtual ~JudgedModel() = default;

  virtual int64_t vocab() const = 0;    // V: tokens are 0 to V - 1
  virtual int64_t context() const = 0;  // T: the longest row of tokens that it reads

  // tokens int64 (B, t), t <= T -> logits (B, t, V), at each position those of the token after it.
  // Without dropout; gradients flow to Parameters().
  virtual Tensor Logits(const Tensor& tokens) = 0;

  // The same logits by way of a cache that is empty at first: the tokens are read in pieces of
  // these lengths, which sum to t. Called under NoGrad. A model without a cache leaves this alone,
  // and the check "cache" out.
  virtual Tensor CachedLogits(const Tensor& tokens, absl::Span<const int64_t> pieces);

  // The leaves that training changes, each once, in the model's order.
  virtual std::vector<nn::NamedTensor> Parameters() const = 0;

  // A model with the same values in parameters of its own, of type float32 or float64.
  virtual std::unique_ptr<JudgedModel> Copy(DType dtype) const = 0;

  // A model of the same sizes with initial values drawn from `seed`.
  virtual std::unique_ptr<JudgedModel> Fresh(uint64_t seed) const = 0;
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_JUDGED_MODEL_H_
