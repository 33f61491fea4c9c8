#include <functional>
#include <iostream>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/gpt/recorder.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The residual stream before the last LayerNorm is the sum of what its writers "
                  "wrote: token embedding, position, and each block's attention and MLP.",
     .source = "what the course's next steps state",
     .exact = "bitwise, added in the order of writing; in any other order up to rounding"});

constexpr uint64_t kSeed = 63;

using LogitsFunction = std::function<Tensor(models::Gpt& model, const Tensor& tokens)>;

struct Rest {
  int64_t bits = 0;      // elements of the stream that differ from the sum in the order of writing
  double backwards = 0;  // largest distance from the sum in the opposite order, over the largest
};

void AddRest(const LogitsFunction& f, models::Gpt& model, const Tensor& tokens, Rest& rest) {
  const NoGrad no_grad;
  Recorder seen;
  {
    const nn::Observer::Scope scope(seen);
    f(model, tokens);
  }
  std::vector<Tensor> writers = {seen.Find("tok").output,
                                 Slice(model.pos.weight, 0, 0, tokens.size(1))};
  for (size_t i = 0; i < model.blocks.size(); ++i) {
    writers.push_back(seen.Find(absl::StrCat("blocks.", i, ".attn")).output);
    writers.push_back(seen.Find(absl::StrCat("blocks.", i, ".mlp")).output);
  }
  const Tensor stream = seen.Find("lnf").input;  // (B, T, C)
  Tensor sum = writers[0];
  for (size_t i = 1; i < writers.size(); ++i) sum += writers[i];
  Tensor backwards = writers.back();
  for (size_t i = writers.size() - 1; i-- > 0;) backwards += writers[i];
  rest.bits += CountDifferentBits(sum, stream);
  rest.backwards =
      LargerOf(rest.backwards, LargestDifference(backwards, stream) / LargestMagnitude(stream));
}

std::vector<Measurement> SumOfWriters(const LogitsFunction& f) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  models::Gpt course(CourseConfig(), generator);
  Rest rest;
  AddRest(f, course, FirstBatch().tokens, rest);
  for (int i = 0; i < 30; ++i) {
    const models::GptConfig config = RandomConfig(generator);
    models::Gpt model(config, generator);
    AddRest(f, model, RandomTokens(config, 2, config.context, generator), rest);
  }
  return {Exactly("elements of the stream that are not the sum", static_cast<double>(rest.bits), 0),
          AtMost("distance of the sum in the opposite order, of the largest entry", rest.backwards,
                 1e-6)};
}

// A model whose blocks are `block`, called so that an observer sees the paths.
LogitsFunction With(const BlockFunction& block) {
  return
      [block](models::Gpt& model, const Tensor& tokens) { return Assemble(model, tokens, block); };
}

TEST(ResidualStream, IsTheSumOfItsWriters) {
  ExpectHolds(SumOfWriters([](models::Gpt& model, const Tensor& tokens) { return model(tokens); }));
}

TEST(ResidualStream, GoesRedForPostNormBlocks) {
  ExpectBroken(SumOfWriters(With([](models::Block& block, const Tensor& x) {
    const ErrorScope scope(&block.name());
    const Tensor y = block.ln1(x + block.attn(x));
    return block.ln2(y + block.mlp(y));
  })));
}

TEST(ResidualStream, GoesRedWhereAHalfIsScaled) {
  ExpectBroken(SumOfWriters(With([](models::Block& block, const Tensor& x) {
    const ErrorScope scope(&block.name());
    const Tensor y = x + block.attn(block.ln1(x)) * 0.5;
    return y + block.mlp(block.ln2(y));
  })));
}

}  // namespace
}  // namespace lemma::propositions
