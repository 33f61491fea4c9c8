#include <string>
#include <vector>

#include "autograd/random.h"
#include "models/gpt/config.h"
#include "models/gpt/gpt.h"
#include "tools/grading/exercises/gpt_count/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallGptCount;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Function = int64_t (*)(const GptSizes& n);

Callable Bound(Function function) {
  return [function](const Values& in) { return CallGptCount(function, in); };
}

int64_t Formula(const GptSizes& n) {
  return n.V * n.C + n.T * n.C + n.L * (12 * n.C * n.C + 10 * n.C) + 2 * n.C + n.C * n.V;
}

int64_t LayerByLayer(const GptSizes& n) {
  const auto linear = [](int64_t in, int64_t out, bool bias) {
    return in * out + (bias ? out : 0);
  };
  int64_t count = linear(n.V, n.C, false) + linear(n.T, n.C, false);
  for (int64_t block = 0; block < n.L; ++block) {
    for (int64_t head = 0; head < n.H; ++head) count += 3 * linear(n.C, n.C / n.H, false);
    count += linear(n.C, n.C, true) + linear(n.C, 4 * n.C, true) + linear(4 * n.C, n.C, true);
    count += 2 * 2 * n.C;
  }
  return count + 2 * n.C + linear(n.C, n.V, false);
}

// Of a model where it is small, else by differences of small ones: the count is linear in V, T and
// L and quadratic in C.
int64_t Counted(const GptSizes& n) {
  if (n.V * n.C > 100000) return Formula(n);
  lemma::models::GptConfig config = *lemma::models::GptConfig::Preset("course");
  config.vocab = n.V, config.context = n.T, config.width = n.C, config.heads = n.H,
  config.layers = n.L;
  Generator generator(1);
  return lemma::models::Gpt(config, generator).NumParameters();
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, std::vector<std::string> ids, Function f) {
    return Specimen{name, Bound(f), std::move(ids)};
  };
  using N = const GptSizes&;
  return {
      wrong("norms_without_bias", {"norm/no_bias"},
            [](N n) { return Formula(n) - (2 * n.L + 1) * n.C; }),
      wrong("no_norms", {"norm/none"}, [](N n) { return Formula(n) - (2 * n.L + 1) * 2 * n.C; }),
      wrong("one_norm_a_block", {"norm/one_a_block"},
            [](N n) { return Formula(n) - n.L * 2 * n.C; }),
      wrong("qkv_with_bias", {"qkv/bias"}, [](N n) { return Formula(n) + 3 * n.L * n.C; }),
      wrong("heads_of_full_width", {"qkv/each_head_full"},
            [](N n) { return Formula(n) + (n.H - 1) * 3 * n.L * n.C * n.C; }),
      wrong("one_matrix_for_qkv", {"qkv/one_matrix"},
            [](N n) { return Formula(n) - 2 * n.L * n.C * n.C; }),
      wrong("projection_without_bias", {"proj/no_bias"},
            [](N n) { return Formula(n) - n.L * n.C; }),
      wrong("no_projection", {"proj/none"},
            [](N n) { return Formula(n) - n.L * (n.C * n.C + n.C); }),
      wrong("mlp_without_bias", {"mlp/no_bias"}, [](N n) { return Formula(n) - 5 * n.L * n.C; }),
      wrong("mlp_with_a_narrow_bias", {"mlp/narrow_bias"},
            [](N n) { return Formula(n) - 3 * n.L * n.C; }),
      wrong("no_positions", {"positions/none"}, [](N n) { return Formula(n) - n.T * n.C; }),
      wrong("no_last_norm", {"final/none"}, [](N n) { return Formula(n) - 2 * n.C; }),
      wrong("tied_head", {"head/tied"}, [](N n) { return Formula(n) - n.C * n.V; }),
      wrong("head_with_bias", {"head/bias"}, [](N n) { return Formula(n) + n.V; }),
      wrong("masks_counted", {"mask/counted"}, [](N n) { return Formula(n) + n.L * n.T * n.T; }),
      wrong("rule_of_thumb", {"rule/twelve"}, [](N n) { return 12 * n.L * n.C * n.C; }),
      wrong("tied_head_without_positions", {"positions/none", "head/tied"},
            [](N n) { return Formula(n) - n.C * n.V - n.T * n.C; }),
      wrong("always_two_blocks_or_more", {"one_block"},
            [](N n) {
              return n.L == 1 ? Formula({n.V, n.T, n.C, n.H, 2}) : Formula(n);
            }),
      wrong("thirty_two_bits_of_float", {"large"},
            [](N n) { return static_cast<int64_t>(static_cast<float>(Formula(n))); }),
  };
}

const Specimens kSpecimens("gpt_count",
                           {{"formula", Bound(Formula)},
                            {"layer_by_layer", Bound(LayerByLayer)},
                            {"counted", Bound(Counted)}},
                           Mistaken());

}  // namespace
}  // namespace homework
