#include "tools/grading/model/broken_models.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "autograd/create.h"
#include "autograd/custom.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/join.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "nn/init.h"

namespace lemma::tools::grading {
namespace {

constexpr uint64_t kSeed = 1337;

Tensor Embedded(models::Gpt& gpt, const Tensor& tokens, int64_t first_position) {
  return gpt.tok(tokens) +
         Slice(gpt.pos.weight, 0, first_position, first_position + tokens.size(1));
}

// Runs a GPT piece by piece, each after position_of(how many the cache has seen).
Tensor ReadPieces(models::Gpt& gpt, const Tensor& tokens, absl::Span<const int64_t> pieces,
                  const std::function<int64_t(int64_t seen, int64_t piece)>& position_of) {
  models::GptCache cache(gpt.config());
  std::vector<Tensor> logits;
  int64_t begin = 0;
  for (const int64_t piece : pieces) {
    Tensor x = Embedded(gpt, Slice(tokens, 1, begin, begin + piece), position_of(begin, piece));
    for (size_t i = 0; i < gpt.blocks.size(); ++i) x = gpt.blocks[i](x, &cache.layer(i));
    logits.push_back(gpt.head(gpt.lnf(x)));
    begin += piece;
  }
  return Concat(logits, 1);
}

std::unique_ptr<JudgedModel> MakeInner(const models::GptConfig& config, const Mistake& mistake) {
  Generator generator(kSeed);
  auto gpt = std::make_unique<models::Gpt>(config, generator);
  if (mistake.values) mistake.values(*gpt);
  return std::make_unique<GptModel>(std::move(gpt));
}

}  // namespace

BrokenModel::BrokenModel(const models::GptConfig& config, const Mistake& mistake)
    : BrokenModel(MakeInner(config, mistake), mistake) {}

BrokenModel::BrokenModel(std::unique_ptr<JudgedModel> inner, const Mistake& mistake)
    : inner_(std::move(inner)), mistake_(mistake) {}

Tensor BrokenModel::Logits(const Tensor& tokens) {
  return mistake_.logits ? mistake_.logits(gpt(), tokens) : inner_->Logits(tokens);
}

// A model that computes other logits has no cache, unless the mistake says what it is.
Tensor BrokenModel::CachedLogits(const Tensor& tokens, absl::Span<const int64_t> pieces) {
  if (mistake_.cached) return mistake_.cached(gpt(), tokens, pieces);
  return mistake_.logits ? mistake_.logits(gpt(), tokens) : inner_->CachedLogits(tokens, pieces);
}

std::unique_ptr<JudgedModel> BrokenModel::Copy(DType dtype) const {
  return std::unique_ptr<JudgedModel>(new BrokenModel(inner_->Copy(dtype), mistake_));
}

std::unique_ptr<JudgedModel> BrokenModel::Fresh(uint64_t seed) const {
  std::unique_ptr<JudgedModel> fresh = inner_->Fresh(seed);
  if (mistake_.initial_values) mistake_.initial_values(static_cast<GptModel&>(*fresh).gpt());
  return std::unique_ptr<JudgedModel>(
      new BrokenModel(std::move(fresh), mistake_.learned ? Mistake() : mistake_));
}

Mistake NoMask() {
  const auto unmasked = [](models::Gpt& gpt, const Tensor& tokens) {
    Tensor x = Embedded(gpt, tokens, 0);
    for (size_t i = 0; i < gpt.blocks.size(); ++i) {
      models::Block& block = gpt.blocks[i];
      const Tensor qkv = block.attn.qkv(block.ln1(x));
      x = x + block.attn.proj(PackedAttention(qkv, gpt.config().heads, {.causal = false}));
      x = x + block.mlp(block.ln2(x));
    }
    return gpt.head(gpt.lnf(x));
  };
  const auto cached = [](models::Gpt& gpt, const Tensor& tokens, absl::Span<const int64_t> pieces) {
    return ReadPieces(gpt, tokens, pieces, [](int64_t seen, int64_t) { return seen; });
  };
  return {.logits = unmasked, .cached = cached};
}

Mistake MixesRows() {
  return {.logits = [](models::Gpt& gpt, const Tensor& tokens) {
    const Tensor logits = gpt(tokens);
    if (tokens.size(0) == 1) return logits;
    const Tensor rolled = Concat({Slice(logits, 0, 1), Slice(logits, 0, 0, 1)}, 0);
    return logits + rolled * 0.1;
  }};
}

Mistake SeesNoTokens() {
  return {.logits = [](models::Gpt& gpt, const Tensor& tokens) { return gpt(ZerosLike(tokens)); }};
}

Mistake CachePositionsStartAgain() {
  return {.cached = [](models::Gpt& gpt, const Tensor& tokens, absl::Span<const int64_t> pieces) {
    return ReadPieces(gpt, tokens, pieces, [](int64_t, int64_t) { return int64_t{0}; });
  }};
}

Mistake CachePositionsOffByOne() {
  return {.cached = [](models::Gpt& gpt, const Tensor& tokens, absl::Span<const int64_t> pieces) {
    const int64_t context = gpt.config().context;
    return ReadPieces(gpt, tokens, pieces, [context](int64_t seen, int64_t piece) {
      return seen == 0 ? 0 : std::min(seen + 1, context - piece);
    });
  }};
}

Mistake WrongGradient() {
  const CustomFunction identity = {
      .name = "identity",
      .forward = [](ForwardContext&, const TensorList& in) -> TensorList { return {Clone(in[0])}; },
      .vjp = [](const VjpCall& call) -> TensorList { return {call.dout(0) * 1.01}; }};
  return {.logits = [identity](models::Gpt& gpt, const Tensor& tokens) {
    return gpt.head(Apply(identity, {gpt.Hidden(tokens)})[0]);
  }};
}

Mistake CutGradient() {
  return {.logits = [](models::Gpt& gpt, const Tensor& tokens) {
    return gpt.head(gpt.Hidden(tokens).Detach());
  }};
}

Mistake LargeInitialValues() {
  return {.initial_values = [](models::Gpt& gpt) {
    Generator generator(kSeed);
    nn::init::Normal(gpt.head.weight, generator);
  }};
}

Mistake LearnedFromALeak() {
  const auto reads_ahead = [](models::Gpt& gpt, const Tensor& tokens) {
    Tensor logits = gpt(tokens);
    const int64_t v = gpt.config().vocab, t = tokens.size(1);
    if (tokens.size(0) > 1 || t == 1) return logits;
    std::vector<double> next(static_cast<size_t>(t * v));
    const std::vector<int64_t> ids = tokens.ToVector<int64_t>();
    for (int64_t i = 0; i + 1 < t; ++i) {
      next[static_cast<size_t>(i * v + ids[static_cast<size_t>(i + 1)])] = 10;
    }
    return logits + Cast(FromVector(next, {1, t, v}), logits.dtype());
  };
  return {.logits = reads_ahead, .learned = true};
}

Mistake KnowsOneToken() {
  return {.logits = [](models::Gpt& gpt, const Tensor& tokens) {
    Tensor x = gpt.tok(tokens);
    for (size_t i = 0; i < gpt.blocks.size(); ++i) {
      x = x + gpt.blocks[i].mlp(gpt.blocks[i].ln2(x));
    }
    return gpt.head(gpt.lnf(x));
  }};
}

Mistake DropsOut() {
  const auto generator = std::make_shared<Generator>(kSeed);
  return {.logits = [generator](models::Gpt& gpt, const Tensor& tokens) {
    const Tensor hidden = gpt.Hidden(tokens);
    const Tensor mask = Cast(Rand(hidden.shape(), *generator), hidden.dtype());
    return gpt.head(hidden * mask);
  }};
}

Mistake NotANumber() {
  return {.values = [](models::Gpt& gpt) {
    const NoGrad no_grad;
    Tensor place = Slice(gpt.lnf.weight, 0, 3, 4);
    Fill(place, std::nan(""));
  }};
}

Mistake LastPositionOnly() {
  return {.logits = [](models::Gpt& gpt, const Tensor& tokens) {
    return Slice(gpt(tokens), 1, tokens.size(1) - 1);
  }};
}

}  // namespace lemma::tools::grading
