#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tools/grading/exercises/generate/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallGenerate;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Tokens = std::vector<int64_t>;
using Function =
    std::function<Tokens(const Model&, const Tokens&, int64_t, int64_t, double, Generator&)>;

Callable Bound(Function function) {
  return [function](const Values& in) { return CallGenerate(function, in); };
}

int64_t SizeOf(const Tokens& tokens) { return static_cast<int64_t>(tokens.size()); }
Tokens Last(const Tokens& tokens, int64_t n) {
  return Tokens(tokens.end() - std::min(SizeOf(tokens), n), tokens.end());
}
Tensor AsTensor(const Tokens& tokens) { return FromVector(tokens, {1, SizeOf(tokens)}); }

Tokens Plain(const Model& model, const Tokens& prompt, int64_t count, int64_t context,
             double temperature, Generator& generator) {
  Tokens tokens = prompt;
  for (int64_t i = 0; i < count; ++i) {
    const Tensor logits = model(AsTensor(Last(tokens, context)));
    const Tensor p = Softmax(Select(Select(logits, 0, 0), 0, -1) / temperature, -1);
    tokens.push_back(generator.Multinomial(p.ToVector<float>()));
  }
  return tokens;
}

// The window as a tensor that moves, as the course keeps it.
Tokens WithTensors(const Model& model, const Tokens& prompt, int64_t count, int64_t context,
                   double temperature, Generator& generator) {
  Tensor tokens = AsTensor(prompt);
  for (int64_t i = 0; i < count; ++i) {
    const Tensor seen = Slice(tokens, 1, std::max<int64_t>(0, tokens.size(1) - context));
    const Tensor last = Select(model(Contiguous(seen)), 1, -1);
    const std::vector<float> p = Softmax(last / temperature, 1).ToVector<float>();
    tokens = Concat({tokens, FromVector(Tokens{generator.Multinomial(p)}, {1, 1})}, 1);
  }
  return tokens.ToVector<int64_t>();
}

Tokens Recursive(const Model& model, const Tokens& prompt, int64_t count, int64_t context,
                 double temperature, Generator& generator) {
  if (count == 0) return prompt;
  const Tokens one_more = Plain(model, prompt, 1, context, temperature, generator);
  return Recursive(model, one_more, count - 1, context, temperature, generator);
}

// A solution in steps, one of which a mistake replaces.
struct Steps {
  std::function<Tokens(const Tokens&, int64_t context)> crop = Last;
  std::function<Tensor(const Tensor& logits)> row = [](const Tensor& logits) {
    return Select(Select(logits, 0, 0), 0, -1);
  };
  std::function<Tensor(const Tensor& row, double t)> probabilities =
      [](const Tensor& row, double t) { return Softmax(row / t, -1); };
  std::function<int64_t(const Tensor& p, Generator&)> draw = [](const Tensor& p, Generator& g) {
    return g.Multinomial(p.ToVector<float>());
  };
  std::function<void(Tokens&, int64_t)> append = [](Tokens& tokens, int64_t token) {
    tokens.push_back(token);
  };
  std::function<int64_t(int64_t)> count = [](int64_t n) { return n; };
  std::function<Tokens(const Tokens&, const Tokens& prompt)> result =
      [](const Tokens& tokens, const Tokens&) { return tokens; };
};

template <typename Change>
Specimen Wrong(const char* name, std::vector<std::string> expected, Change change) {
  Steps s;
  change(s);
  return {name,
          Bound([s](const Model& model, const Tokens& prompt, int64_t count, int64_t context,
                    double temperature, Generator& generator) {
            Tokens tokens = prompt;
            for (int64_t i = 0; i < s.count(count); ++i) {
              const Tensor row = s.row(model(AsTensor(s.crop(tokens, context))));
              s.append(tokens, s.draw(s.probabilities(row, temperature), generator));
            }
            return s.result(tokens, prompt);
          }),
          std::move(expected)};
}

std::vector<Specimen> Mistaken() {
  return {
      Wrong("not_cropped", {"crop/none"},
            [](Steps& s) { s.crop = [](const Tokens& t, int64_t) { return t; }; }),
      Wrong("first_tokens", {"crop/first"},
            [](Steps& s) {
              s.crop = [](const Tokens& t, int64_t n) {
                return Tokens(t.begin(), t.begin() + std::min(SizeOf(t), n));
              };
            }),
      Wrong("cropped_too_short", {"crop/short"},
            [](Steps& s) { s.crop = [](const Tokens& t, int64_t n) { return Last(t, n - 1); }; }),
      Wrong("last_token_only", {"crop/last_token"},
            [](Steps& s) { s.crop = [](const Tokens& t, int64_t) { return Last(t, 1); }; }),
      Wrong("first_position", {"position/first"},
            [](Steps& s) {
              s.row = [](const Tensor& logits) { return Select(Select(logits, 0, 0), 0, 0); };
            }),
      Wrong("no_temperature", {"temperature/ignored"},
            [](Steps& s) {
              s.probabilities = [](const Tensor& row, double) { return Softmax(row, -1); };
            }),
      Wrong("multiplied_by_the_temperature", {"temperature/multiplied"},
            [](Steps& s) {
              s.probabilities = [](const Tensor& row, double t) { return Softmax(row * t, -1); };
            }),
      Wrong("probabilities_divided", {"temperature/after_softmax"},
            [](Steps& s) {
              s.probabilities = [](const Tensor& row, double t) { return Softmax(row, -1) / t; };
            }),
      Wrong("usual_temperature", {"temperature/other"},
            [](Steps& s) {
              s.probabilities = [](const Tensor& row, double) { return Softmax(row / 0.8, -1); };
            }),
      Wrong("most_probable", {"draw/largest"},
            [](Steps& s) {
              s.draw = [](const Tensor& p, Generator&) {
                return static_cast<int64_t>(ArgMax(p).Item());
              };
            }),
      Wrong("draws_twice", {"draw/twice"},
            [](Steps& s) {
              s.draw = [](const Tensor& p, Generator& g) {
                g.Multinomial(p.ToVector<float>());
                return g.Multinomial(p.ToVector<float>());
              };
            }),
      Wrong("seeds_each_time", {"draw/same_numbers"},
            [](Steps& s) {
              s.draw = [](const Tensor& p, Generator& g) {
                g.ManualSeed(g.seed());
                return g.Multinomial(p.ToVector<float>());
              };
            }),
      Wrong("in_front", {"append/front"},
            [](Steps& s) {
              s.append = [](Tokens& tokens, int64_t token) {
                tokens.insert(tokens.begin(), token);
              };
            }),
      Wrong("one_more", {"count/one_more"},
            [](Steps& s) { s.count = [](int64_t n) { return n + 1; }; }),
      Wrong("one_less", {"count/one_less"},
            [](Steps& s) { s.count = [](int64_t n) { return n - 1; }; }),
      Wrong("prompt_lost", {"result/without_prompt"},
            [](Steps& s) {
              s.result = [](const Tokens& tokens, const Tokens& prompt) {
                return Tokens(tokens.begin() + SizeOf(prompt), tokens.end());
              };
            }),
      Wrong("no_temperature_and_no_prompt", {"temperature/ignored", "result/without_prompt"},
            [](Steps& s) {
              s.probabilities = [](const Tensor& row, double) { return Softmax(row, -1); };
              s.result = [](const Tokens& tokens, const Tokens& prompt) {
                return Tokens(tokens.begin() + SizeOf(prompt), tokens.end());
              };
            }),
      Wrong("long_prompts_are_cut", {"long_prompt"},
            [](Steps& s) {
              s.result = [](const Tokens& tokens, const Tokens& prompt) {
                return SizeOf(prompt) > 8 ? Last(tokens, 8) : tokens;
              };
            }),
      Wrong("cropped_once_full", {"past_the_context"},
            [](Steps& s) {
              s.crop = [](const Tokens& t, int64_t n) {
                return n == 6 && SizeOf(t) > 6 ? Last(t, 5) : Last(t, n);
              };
            }),
      Wrong("temperature_at_most_one", {"hot"},
            [](Steps& s) {
              s.probabilities = [](const Tensor& row, double t) {
                return Softmax(row / std::min(t, 1.0), -1);
              };
            }),
      Wrong("overflows_when_cold", {"cold"},
            [](Steps& s) {
              s.probabilities = [](const Tensor& row, double t) {
                const Tensor e = Exp(Clamp(row / t, std::nullopt, 50));
                return e / Sum(e);
              };
            }),
      Wrong("at_least_one", {"nothing_to_do"},
            [](Steps& s) { s.count = [](int64_t n) { return std::max<int64_t>(n, 1); }; }),
      Wrong("leaves_a_thread", {"clean"},
            [](Steps& s) {
              s.result = [](const Tokens& tokens, const Tokens&) {
                std::thread([] { std::this_thread::sleep_for(std::chrono::seconds(30)); }).detach();
                return tokens;
              };
            }),
      Wrong("changes_its_mind", {"deterministic"},
            [](Steps& s) {
              s.result = [](const Tokens& tokens, const Tokens&) {
                // Wrong once, in the second call of a process.
                static int calls = 0;
                Tokens changed = tokens;
                if (++calls == 2) changed.back() = (changed.back() + 1) % 7;
                return changed;
              };
            }),
  };
}

const Specimens kSpecimens("generate",
                           {{"plain", Bound(Plain)},
                            {"with_tensors", Bound(WithTensors)},
                            {"recursive", Bound(Recursive)}},
                           Mistaken());

}  // namespace
}  // namespace homework
