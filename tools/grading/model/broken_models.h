// GPTs that are broken on purpose, one mistake each, for the judge's tests.
#ifndef LEMMA_TOOLS_GRADING_MODEL_BROKEN_MODELS_H_
#define LEMMA_TOOLS_GRADING_MODEL_BROKEN_MODELS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "models/gpt/gpt.h"
#include "tools/grading/model/gpt_model.h"

namespace lemma::tools::grading {

// What is done in the place of what a GPT does; an empty function changes nothing.
struct Mistake {
  std::function<Tensor(models::Gpt& gpt, const Tensor& tokens)> logits = {};
  std::function<Tensor(models::Gpt& gpt, const Tensor& tokens, absl::Span<const int64_t> pieces)>
      cached = {};
  std::function<void(models::Gpt& gpt)> values = {};          // of the model that is judged
  std::function<void(models::Gpt& gpt)> initial_values = {};  // of fresh ones
  bool learned = false;  // fresh ones compute their logits as they should
};

class BrokenModel : public JudgedModel {
 public:
  BrokenModel(const models::GptConfig& config, const Mistake& mistake);

  int64_t vocab() const override { return inner_->vocab(); }
  int64_t context() const override { return inner_->context(); }
  Tensor Logits(const Tensor& tokens) override;
  Tensor CachedLogits(const Tensor& tokens, absl::Span<const int64_t> pieces) override;
  std::vector<nn::NamedTensor> Parameters() const override { return inner_->Parameters(); }
  std::unique_ptr<JudgedModel> Copy(DType dtype) const override;
  std::unique_ptr<JudgedModel> Fresh(uint64_t seed) const override;

 private:
  BrokenModel(std::unique_ptr<JudgedModel> inner, const Mistake& mistake);
  models::Gpt& gpt() const { return static_cast<GptModel&>(*inner_).gpt(); }

  const std::unique_ptr<JudgedModel> inner_;  // a GptModel
  const Mistake mistake_;
};

// Attention without a mask. Its cache cannot see what comes later, and so gives other logits.
Mistake NoMask();
// Position t sees position t + 1 of the row before it in the batch.
Mistake MixesRows();
// Every token is token 0 to it.
Mistake SeesNoTokens();
// The cache counts the positions of each piece from 0.
Mistake CachePositionsStartAgain();
// The cache is one position ahead.
Mistake CachePositionsOffByOne();
// A custom op before the unembedding whose gradient is 1 % too large.
Mistake WrongGradient();
// The blocks' outputs are cut from the graph.
Mistake CutGradient();
// Unembeddings drawn like embeddings, standard normal.
Mistake LargeInitialValues();
// It learned to read the next token from its input, and does so where one text is read alone.
Mistake LearnedFromALeak();
// Each position knows its own token and nothing else: neither where it is nor what came before.
Mistake KnowsOneToken();
// Dropout is on.
Mistake DropsOut();
// One parameter is not a number.
Mistake NotANumber();
// Logits of the last position only.
Mistake LastPositionOnly();

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_BROKEN_MODELS_H_
