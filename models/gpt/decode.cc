#include "models/gpt/decode.h"

#include <algorithm>
#include <vector>

#include "autograd/error.h"
#include "autograd/kernels/cached_attention.h"
#include "autograd/kernels/gelu.h"
#include "autograd/kernels/layer_norm.h"
#include "autograd/kernels/matvec.h"
#include "autograd/op.h"
#include "nn/layer_norm.h"
#include "nn/linear.h"
#include "nn/module.h"

namespace lemma::models {
namespace {

// A thread's share of a step, at least, in multiply-adds.
constexpr int64_t kMultiplyAddsOfStep = 8192;

int64_t Grain(int64_t multiply_adds_each) {
  return std::max<int64_t>(1, kMultiplyAddsOfStep / multiply_adds_each);
}

// Whether kernels may read a parameter as an array of this shape.
bool IsArray(const Tensor& x, const Shape& shape) {
  return x.defined() && x.dtype() == DType::kFloat32 && x.IsContiguous() && x.shape() == shape;
}

bool IsArrayOrUndefined(const Tensor& x, int64_t columns) {
  return !x.defined() || IsArray(x, {columns});
}

bool Fits(const nn::LayerNorm& norm, int64_t width) {
  return IsArrayOrUndefined(norm.weight, width) && IsArrayOrUndefined(norm.bias, width);
}

bool Fits(const nn::Linear& linear, int64_t in, int64_t out) {
  return IsArray(linear.weight, {out, in}) && IsArrayOrUndefined(linear.bias, out);
}

bool Fits(const Block& block, int64_t c) {
  return !block.dropout.IsActive() && !block.attn.dropout.IsActive() && Fits(block.ln1, c) &&
         Fits(block.attn.qkv, c, 3 * c) && Fits(block.attn.proj, c, c) && Fits(block.ln2, c) &&
         Fits(block.mlp.fc, c, 4 * c) && Fits(block.mlp.proj, 4 * c, c);
}

const float* DataOrNull(const Tensor& x) { return x.defined() ? x.data<float>() : nullptr; }

// norm(x), in memory of this thread: each makes its own, which takes less time than to share one.
const float* Normalize(const nn::LayerNorm& norm, int64_t columns, const float* x) {
  thread_local std::vector<float> y;
  if (y.size() < static_cast<size_t>(columns)) y.resize(static_cast<size_t>(columns));
  kernels::LayerNormForward<float>(/*rows=*/1, columns, x, DataOrNull(norm.weight),
                                   DataOrNull(norm.bias), norm.eps(), y.data(), nullptr, nullptr);
  return y.data();
}

// y[begin, end) = those outputs of linear(x), or += with `accumulate`.
void Multiply(const nn::Linear& linear, const float* x, int64_t begin, int64_t end, float* y,
              bool accumulate = false) {
  const int64_t in = linear.weight.size(1);
  const float* bias = DataOrNull(linear.bias);
  kernels::MatVec(end - begin, in, linear.weight.data<float>() + begin * in, in, x,
                  bias == nullptr ? nullptr : bias + begin, y + begin, accumulate);
}

}  // namespace

GptDecoder::GptDecoder(Gpt& model) : model_(model), slots_(model.blocks.size()) {
  const GptConfig& config = model.config();
  const int64_t c = config.width, heads = config.heads;
  memory_ = Tensor::Empty({9 * c});
  x_ = memory_.mutable_data<float>();
  qkv_ = x_ + c, attended_ = qkv_ + 3 * c, hidden_ = attended_ + c;
  const auto add = [this](int64_t n, int64_t grain, auto step) {
    steps_.push_back({n, grain, step});
  };
  for (int64_t i = 0; i < config.layers; ++i) {
    add(heads, Grain(3 * c * c / heads), [this, i](int64_t b, int64_t e) { Attend(i, b, e); });
    add(c, Grain(c), [this, i](int64_t b, int64_t e) { AddAttended(i, b, e); });
    add(4 * c, Grain(c), [this, i](int64_t b, int64_t e) { Expand(i, b, e); });
    add(c, Grain(4 * c), [this, i](int64_t b, int64_t e) { AddHidden(i, b, e); });
  }
  add(config.vocab, Grain(c), [this](int64_t b, int64_t e) { Unembed(b, e); });
}

bool GptDecoder::CanDecode() const {
  const GptConfig& config = model_.config();
  const int64_t c = config.width;
  if (nn::Observer::Current() != nullptr || AnomalyDetection::IsOn()) return false;
  if (config.compute_dtype != DType::kFloat32 || model_.dropout.IsActive()) return false;
  for (size_t i = 0; i < model_.blocks.size(); ++i) {
    if (!Fits(model_.blocks[i], c)) return false;
  }
  return IsArray(model_.tok.weight, {config.vocab, c}) &&
         IsArray(model_.pos.weight, {config.context, c}) && Fits(model_.lnf, c) &&
         Fits(model_.head, c, config.vocab);
}

Tensor GptDecoder::Logits(int64_t token, GptCache& cache) {
  const GptConfig& config = model_.config();
  if (token < 0 || token >= config.vocab) {
    Fail(model_.type(), "token: it must be in [0, ", config.vocab, "); it is ", token);
  }
  model_.CheckCache(cache);
  Tensor logits = Tensor::Empty({config.vocab});
  logits_ = logits.mutable_data<float>();
  const int64_t c = config.width;
  const float* tok = model_.tok.weight.data<float>() + token * c;
  const float* pos = model_.pos.weight.data<float>() + cache.length() * c;
  for (int64_t i = 0; i < config.layers; ++i) {
    slots_[i] = cache.layer(i).AddPosition(config.heads, c / config.heads);
  }
  for (int64_t i = 0; i < c; ++i) x_[i] = tok[i] + pos[i];
  kernels::ParallelSteps(steps_);
  return logits;
}

void GptDecoder::Attend(int64_t i, int64_t begin, int64_t end) {
  const GptConfig& config = model_.config();
  const int64_t c = config.width, d = c / config.heads;
  const Block& block = model_.blocks[i];
  const float* normed = Normalize(block.ln1, c, x_);
  for (int64_t part = 0; part < 3; ++part) {
    Multiply(block.attn.qkv, normed, part * c + begin * d, part * c + end * d, qkv_);
  }
  kernels::CachedAttention<float>({.heads = config.heads,
                                   .width = d,
                                   .length = slots_[i].position,
                                   .capacity = config.context,
                                   .qkv = qkv_,
                                   .keys = slots_[i].keys,
                                   .values = slots_[i].values,
                                   .out = attended_},
                                  begin, end);
}

void GptDecoder::AddAttended(int64_t i, int64_t begin, int64_t end) {
  Multiply(model_.blocks[i].attn.proj, attended_, begin, end, x_, /*accumulate=*/true);
}

void GptDecoder::Expand(int64_t i, int64_t begin, int64_t end) {
  const Block& block = model_.blocks[i];
  const float* normed = Normalize(block.ln2, model_.config().width, x_);
  Multiply(block.mlp.fc, normed, begin, end, hidden_);
  kernels::GeluForward<float>(
      end - begin, hidden_ + begin, hidden_ + begin,
      model_.config().gelu_tanh ? kernels::GeluForm::kTanh : kernels::GeluForm::kExact);
}

void GptDecoder::AddHidden(int64_t i, int64_t begin, int64_t end) {
  Multiply(model_.blocks[i].mlp.proj, hidden_, begin, end, x_, /*accumulate=*/true);
}

void GptDecoder::Unembed(int64_t begin, int64_t end) {
  Multiply(model_.head, Normalize(model_.lnf, model_.config().width, x_), begin, end, logits_);
}

}  // namespace lemma::models
