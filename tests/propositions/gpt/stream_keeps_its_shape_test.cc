#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/shape.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tests/propositions/gpt/assembly.h"
#include "tests/propositions/gpt/course_text.h"
#include "tests/propositions/gpt/recorder.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "The shape table: (B, T) tokens become a stream (B, T, d) that every block and "
                  "the last LayerNorm keep, and logits (B, T, V); inside a block q, k and v are "
                  "(B, T, 3 d), the weights (B, H, T, T), the MLP (B, T, 4 d).",
     .source = "Step 5, 5.4, verification 4",
     .exact = "exact, as an observer sees it; the course's GPT and 30 random ones"});

constexpr uint64_t kSeed = 23;

using ShapeTable = std::vector<std::pair<std::string, Shape>>;

ShapeTable Expected(const models::GptConfig& c, int64_t b, int64_t t) {
  const Shape stream = {b, t, c.width};
  ShapeTable table = {{"tok", stream}};
  for (int64_t i = 0; i < c.layers; ++i) {
    const std::string block = absl::StrCat("blocks.", i);
    table.insert(table.end(), {{block + ".ln1", stream},
                               {block + ".attn.qkv", {b, t, 3 * c.width}},
                               {block + ".attn:weights", {b, c.heads, t, t}},
                               {block + ".attn", stream},
                               {block + ".ln2", stream},
                               {block + ".mlp.fc", {b, t, 4 * c.width}},
                               {block + ".mlp", stream},
                               {block, stream}});
  }
  table.insert(table.end(), {{"lnf", stream}, {"head", {b, t, c.vocab}}});
  return table;
}

using LogitsFunction = std::function<Tensor(models::Gpt& model, const Tensor& tokens)>;

struct Stages {
  int seen = 0;
  int wrong = 0;    // or not called at all
  int results = 0;  // whose shape is not the logits'
};

void AddStages(const LogitsFunction& f, models::Gpt& model, const Tensor& tokens, bool print,
               Stages& stages) {
  const int64_t b = tokens.size(0), t = tokens.size(1);
  const NoGrad no_grad;
  Recorder recorder;
  Tensor logits;
  {
    const nn::Observer::Scope scope(recorder);
    logits = f(model, tokens);
  }
  for (const auto& [path, shape] : Expected(model.config(), b, t)) {
    const bool called = recorder.Has(path);
    if (print && called)
      std::cout << path << " " << recorder.Find(path).output.shape().ToString() << '\n';
    ++stages.seen;
    stages.wrong += !called || recorder.Find(path).output.shape() != shape;
  }
  stages.results += logits.shape() != Shape({b, t, model.config().vocab});
}

std::vector<Measurement> ShapesOf(const LogitsFunction& f) {
  std::cout << "seed " << kSeed << '\n';
  Generator generator(kSeed);
  Stages stages;
  models::Gpt course(CourseConfig(), generator);
  AddStages(f, course, FirstBatch().tokens, /*print=*/true, stages);
  for (int i = 0; i < 30; ++i) {
    const models::GptConfig config = RandomConfig(generator);
    models::Gpt model(config, generator);
    const int64_t length = RandomInteger(2, config.context, generator);
    AddStages(f, model, RandomTokens(config, RandomInteger(1, 3, generator), length, generator),
              /*print=*/false, stages);
  }
  return {AtLeast("stages looked at", stages.seen, 31 * 11),
          Exactly("stages of another shape", stages.wrong, 0),
          Exactly("results that are not (B, T, V)", stages.results, 0)};
}

TEST(ShapeTable, Holds) {
  ExpectHolds(ShapesOf([](models::Gpt& model, const Tensor& tokens) { return model(tokens); }));
}

// As some generators do: only the last position is unembedded.
TEST(ShapeTable, GoesRedWhereOnlyTheLastPositionIsUnembedded) {
  ExpectBroken(ShapesOf([](models::Gpt& model, const Tensor& tokens) {
    return model.head(Slice(model.Hidden(tokens), 1, -1));
  }));
}

TEST(ShapeTable, GoesRedWhereBatchAndTimeChangePlaces) {
  ExpectBroken(ShapesOf(
      [](models::Gpt& model, const Tensor& tokens) { return Transpose(model(tokens), 0, 1); }));
}

}  // namespace
}  // namespace lemma::propositions
