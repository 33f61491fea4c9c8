// A GPT of models/gpt under judgement.
#ifndef LEMMA_TOOLS_GRADING_MODEL_GPT_MODEL_H_
#define LEMMA_TOOLS_GRADING_MODEL_GPT_MODEL_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "models/gpt/gpt.h"
#include "tools/grading/model/judged_model.h"

namespace lemma::tools::grading {

class GptModel : public JudgedModel {
 public:
  // Without dropout.
  explicit GptModel(std::unique_ptr<models::Gpt> gpt) : gpt_(std::move(gpt)) { gpt_->Eval(); }

  models::Gpt& gpt() { return *gpt_; }

  int64_t vocab() const override { return gpt_->config().vocab; }
  int64_t context() const override { return gpt_->config().context; }
  Tensor Logits(const Tensor& tokens) override { return (*gpt_)(tokens); }
  Tensor CachedLogits(const Tensor& tokens, absl::Span<const int64_t> pieces) override;
  std::vector<nn::NamedTensor> Parameters() const override { return gpt_->NamedParameters(); }
  std::unique_ptr<JudgedModel> Copy(DType dtype) const override;
  std::unique_ptr<JudgedModel> Fresh(uint64_t seed) const override;

 private:
  std::unique_ptr<models::Gpt> Drawn(uint64_t seed) const;

  const std::unique_ptr<models::Gpt> gpt_;
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_GPT_MODEL_H_
