// What follows one more token: the work of sampling, done once for each token.
//
//   const NoGrad no_grad;
//   GptDecoder decoder(model);
//   GptCache cache(model.config());
//   for (int64_t token : text) {
//     Tensor logits = decoder.CanDecode() ? decoder.Logits(token, cache)
//                                         : model(FromValues<int64_t>({token}, {1, 1}), &cache);
//   }
//
// The bits are those of Gpt::Forward with a cache, but a block of a small model is computed in less
// time than its tensors and parallel loops take by themselves. So it is done by kernels on plain
// memory, and a whole token in one parallel region, in which a block is four steps.
#ifndef LEMMA_MODELS_GPT_DECODE_H_
#define LEMMA_MODELS_GPT_DECODE_H_

#include <cstdint>
#include <vector>

#include "autograd/kernels/parallel.h"
#include "autograd/tensor.h"
#include "models/gpt/gpt.h"
#include "nn/kv_cache.h"

namespace lemma::models {

// For one thread at a time.
class GptDecoder {
 public:
  // The model must outlive it.
  explicit GptDecoder(Gpt& model);
  GptDecoder(const GptDecoder&) = delete;
  GptDecoder& operator=(const GptDecoder&) = delete;

  // False while the model has something that only tensors do: parameters that are not float32 or
  // not of its config's shapes, products that are not float32, dropout at work, an Observer or
  // AnomalyDetection that would see nothing.
  bool CanDecode() const;

  // The logits (V) of what comes after `token`, which follows all that the cache holds and is added
  // to it. The cache is one of the model's config, of a single sequence, with room. Under NoGrad,
  // and while CanDecode().
  Tensor Logits(int64_t token, GptCache& cache);

 private:
  // The steps of block i, each for its outputs [begin, end); those of Attend are heads.
  void Attend(int64_t i, int64_t begin, int64_t end);       // attended_ = attention(ln1(x_))
  void AddAttended(int64_t i, int64_t begin, int64_t end);  // x_ += proj(attended_)
  void Expand(int64_t i, int64_t begin, int64_t end);       // hidden_ = gelu(fc(ln2(x_)))
  void AddHidden(int64_t i, int64_t begin, int64_t end);    // x_ += proj(hidden_)
  void Unembed(int64_t begin, int64_t end);                 // logits_ = head(lnf(x_))

  Gpt& model_;
  std::vector<kernels::ParallelStep> steps_;
  std::vector<nn::KvCache::Slot> slots_;  // where this token's keys and values of each block go
  Tensor memory_;                         // (9C), of the next four
  float* x_;                              // (C), the residual stream
  float* qkv_;                            // (3C)
  float* attended_;                       // (C)
  float* hidden_;                         // (4C)
  float* logits_ = nullptr;               // (V)
};

}  // namespace lemma::models

#endif  // LEMMA_MODELS_GPT_DECODE_H_
