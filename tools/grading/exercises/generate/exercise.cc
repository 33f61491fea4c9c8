#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/ops/cast.h"
#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/exercises/generate/toy_model.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

struct Sizes {
  int64_t vocabulary, context, prompt, count;
};

Probe MakeProbe(const std::string& name, const Sizes& n, uint64_t seed, double temperature,
                double spread = 1.5) {
  Draw draw(seed);
  const int64_t own_seed = static_cast<int64_t>(seed % 1000 + 5);
  Generator generator(static_cast<uint64_t>(own_seed));
  // What the draws of a program come from; more than are right, for a program that draws too often.
  const int64_t rows = 2 * n.count + 2;
  std::vector<float> exponentials(static_cast<size_t>(rows * n.vocabulary));
  generator.Exponential(absl::MakeSpan(exponentials));
  return {
      .name = name,
      .inputs = Values()
                    .Add("table", draw.Normal({n.vocabulary, n.vocabulary}, spread))
                    .Add("prompt", draw.Tokens({n.prompt}, n.vocabulary))
                    .Add("count", n.count)
                    .Add("context", n.context)
                    .Add("temperature", temperature)
                    .Add("seed", own_seed),
      .sizes = {{"V", n.vocabulary}, {"T", n.context}, {"n", n.count}},
      .for_files = Values().Add("exponentials", FromVector(exponentials, {rows, n.vocabulary}))};
}

std::vector<Probe> Probes(uint64_t seed) {
  return {MakeProbe("ordinary", {17, 64, 5, 40}, seed, 1),
          MakeProbe("past_the_context", {13, 6, 4, 30}, seed + 1, 1),
          MakeProbe("long_prompt", {11, 5, 9, 8}, seed + 2, 1),
          MakeProbe("hot", {17, 64, 3, 30}, seed + 3, 2.5),
          MakeProbe("cold", {17, 64, 3, 30}, seed + 4, 0.02, 3),
          MakeProbe("nothing_to_do", {7, 8, 3, 0}, seed + 5, 1)};
}

std::vector<Probe> Witnesses() {
  return {MakeProbe("", {3, 4, 1, 1}, 1, 1), MakeProbe("", {3, 2, 1, 4}, 1, 1),
          MakeProbe("", {5, 3, 2, 6}, 1, 0.5), MakeProbe("", {5, 3, 4, 6}, 1, 2)};
}

Tensor WindowOf(const std::vector<int64_t>& tokens, int64_t context, const Mistakes& m) {
  const int64_t size = static_cast<int64_t>(tokens.size());
  int64_t length = std::min(size, context);
  if (m.Has("crop/short")) length = std::max<int64_t>(1, std::min(size, context - 1));
  if (m.Has("crop/last_token")) length = 1;
  const int64_t begin = m.Has("crop/first") ? 0 : size - length;
  if (m.Has("crop/none")) return FromVector(tokens, {1, size});
  const std::vector<int64_t> window(tokens.begin() + begin, tokens.begin() + begin + length);
  return FromVector(window, {1, length});
}

Tensor Probabilities(const Tensor& logits, double temperature, const Mistakes& m) {
  if (m.Has("temperature/ignored")) return Softmax(logits, -1);
  if (m.Has("temperature/multiplied")) return Softmax(logits * temperature, -1);
  if (m.Has("temperature/after_softmax")) return Softmax(logits, -1) / temperature;
  if (m.Has("temperature/squared")) return Softmax(logits / (temperature * temperature), -1);
  return Softmax(logits / m.Number("temperature/other").value_or(temperature), -1);
}

Values Reference(const Values& in, const Mistakes& m) {
  // In float32 whatever the inputs' type, since a draw depends on every bit.
  const Tensor table = Cast(in["table"], DType::kFloat32);
  const ToyModel model(table, in.Int("context"));
  Generator generator(static_cast<uint64_t>(in.Int("seed")));
  std::vector<int64_t> tokens = in["prompt"].ToVector<int64_t>();
  const size_t prompt = tokens.size();
  const int64_t count = in.Int("count") + (m.Has("count/one_more") ? 1 : 0) -
                        (m.Has("count/one_less") && in.Int("count") > 0 ? 1 : 0);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor logits = Select(model.Logits(WindowOf(tokens, in.Int("context"), m)), 0, 0);
    const Tensor row = Select(logits, 0, m.Has("position/first") ? 0 : -1);
    const Tensor p = Probabilities(row, in.Number("temperature"), m);
    if (m.Has("draw/largest")) {
      tokens.push_back(static_cast<int64_t>(ArgMax(p).Item()));
      continue;
    }
    if (m.Has("draw/twice")) generator.Multinomial(p.ToVector<float>());
    if (m.Has("draw/same_numbers")) generator.ManualSeed(static_cast<uint64_t>(in.Int("seed")));
    const int64_t token = generator.Multinomial(p.ToVector<float>());
    m.Has("append/front") ? void(tokens.insert(tokens.begin(), token)) : tokens.push_back(token);
  }
  if (m.Has("result/without_prompt")) tokens.erase(tokens.begin(), tokens.begin() + prompt);
  return Values().Add("tokens", FromVector(tokens, {static_cast<int64_t>(tokens.size())}));
}

}  // namespace

Exercise GenerateExercise() {
  Exercise e;
  e.name = "generate";
  e.title = "Generating text";
  e.source = "Step 5, GPT.generate";
  e.task =
      "Draw one token after the other from a model, which sees the last `context` tokens at most.";
  e.hints = {
      "Which position's logits are about the next token, and what does the model do with more "
      "tokens "
      "than its context?",
      "Step 5, generate: crop to the last T tokens, take the last position, divide the logits by "
      "the "
      "temperature, softmax, draw.",
      "window = the last min(size, context) tokens; row = Select(Select(model(FromVector(window, "
      "{1, "
      "n})), 0, 0), 0, -1); token = generator.Multinomial(Softmax(row / temperature, "
      "-1).ToVector<float>()).",
  };
  e.functions =
      "The model is a table (V, V): after tokens a[0], ..., a[t], which may be `context` at most, "
      "the "
      "logits are table[a[t]] + 0.7 sum over s <= t of cos(0.9 (s + 1)) table[a[s]]. Draw number i "
      "(from 0) takes the token with the largest probability / exponentials[i], as a program's "
      "Multinomial does. exponentials has more rows than you need.";
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"tokens"};
  e.knobs = {
      {"crop",
       "shows the model the last T tokens",
       {{"none", "shows the model all tokens, also more than its context of {T}"},
        {"first", "shows the model the first T tokens, not the last"},
        {"short", "shows the model one token less than its context holds"},
        {"last_token", "shows the model the last token alone"}}},
      {"position",
       "takes the last position",
       {{"first", "takes the logits of the first position"}}},
      {"temperature",
       "divides the logits by the temperature",
       {{"ignored", "ignores the temperature"},
        {"multiplied", "multiplies the logits by the temperature"},
        {"after_softmax",
         "divides the probabilities, not the logits, by the temperature, which "
         "changes nothing"},
        {"squared", "divides by the temperature twice"},
        {.id = "other",
         .what = "divides the logits by {number} (or a little more or less), whatever the "
                 "temperature",
         .fitted = Range{.low = 0.2, .high = 5, .step = 1.004}}}},
      {"draw",
       "draws from the distribution",
       {{"largest", "takes the most probable token and draws nothing"},
        {"twice", "draws twice for each token"},
        {"same_numbers", "begins the random numbers anew for each token"}}},
      {"append", "appends", {{"front", "puts new tokens before the others"}}},
      {"count",
       "draws as many as it should",
       {{"one_more", "draws one token too many"}, {"one_less", "draws one token too few"}}},
      {"result",
       "returns prompt and drawn tokens",
       {{"without_prompt", "returns the drawn tokens without the prompt"}}},
  };
  e.checks = {
      DeterministicCheck(),
      CleanCheck(),
      AgreementCheck("values", "Agreement: the same tokens from the same seed", "ordinary", {},
                     "is what the other inputs stand on"),
      AgreementCheck("past_the_context", "Agreement: beyond the context", "past_the_context",
                     {"values"}),
      AgreementCheck("long_prompt", "Agreement: a prompt longer than the context", "long_prompt",
                     {"values"}),
      AgreementCheck("hot", "Agreement: temperature 2.5", "hot", {"values"}),
      AgreementCheck("cold", "Agreement: temperature 0.02", "cold", {"values"}),
      AgreementCheck("nothing_to_do", "Agreement: no token asked for", "nothing_to_do", {}),
  };
  e.checks[0].needs = e.checks[1].needs = {};
  return e;
}

}  // namespace lemma::tools::grading
