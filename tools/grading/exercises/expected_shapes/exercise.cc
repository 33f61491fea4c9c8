#include <cstdint>
#include <string>
#include <vector>

#include "tools/grading/checks.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

Probe MakeProbe(const std::string& name, int64_t b, int64_t t, int64_t h, int64_t d) {
  return {.name = name,
          .inputs = Values().Add("B", b).Add("T", t).Add("H", h).Add("D", d),
          .sizes = {{"B", b}, {"T", t}, {"H", h}, {"D", d}}};
}

// With sizes that differ pairwise, also from H D.
std::vector<Probe> Probes(uint64_t seed) {
  const int64_t shift = static_cast<int64_t>(seed % 5);
  return {MakeProbe("ordinary", 2, 7 + shift, 3, 5), MakeProbe("other", 5, 16, 2, 4),
          MakeProbe("one_head", 3, 6, 1, 4)};
}

Values Reference(const Values& in, const Mistakes& m) {
  const int64_t B = in.Int("B"), T = in.Int("T"), H = in.Int("H"), D = in.Int("D");
  Values shapes;
  const auto add = [&](const char* name, std::vector<int64_t> right,
                       const std::vector<std::pair<std::string, std::vector<int64_t>>>& wrong) {
    for (const auto& [id, shape] : wrong) {
      if (m.Has(id)) right = shape;
    }
    shapes.Add(name, FromVector(right, {static_cast<int64_t>(right.size())}));
  };
  const std::vector<int64_t> all = {B, T, H * D}, split = {B, T, H, D}, heads = {B, H, T, D};
  const std::vector<int64_t> square = {B, H, T, T};
  add("projected_q", all,
      {{"projected/one_head", {B, T, D}}, {"projected/time_first", {T, B, H * D}}});
  add("q_split_into_heads", split, {{"split/heads_first", heads}, {"split/swapped", {B, T, D, H}}});
  add("q_per_head", heads,
      {{"per_head/not_transposed", split}, {"per_head/transposed", {B, H, D, T}}});
  const std::vector<std::pair<std::string, std::vector<int64_t>>> scores = {
      {"scores/no_heads", {B, T, T}},
      {"scores/width", {B, H, T, D}},
      {"scores/per_width", {B, H, D, D}}};
  add("scores", square, scores);
  auto weights = scores;
  weights.push_back({"weights/values", heads});
  weights.push_back({"weights/reduced", {B, H, T}});
  add("weights", square, weights);
  add("context_per_head", heads, {{"context/square", square}, {"context/not_transposed", split}});
  add("context_merged", all, {{"merged/heads_kept", split}, {"merged/one_head", {B, T, D}}});
  return shapes;
}

}  // namespace

Exercise ExpectedShapesExercise() {
  Exercise e;
  e.name = "expected_shapes";
  e.title = "The shapes inside multi-head attention";
  e.source = "LM3-L3, 5";
  e.task = "Write down the shape of every intermediate tensor of multi-head attention.";
  e.hints = {
      "Which tensors know the width of a head, and which know pairs of positions?",
      "LM3-L3, section 4, steps 1 to 5 name each shape.",
      "(B, T, H D), (B, T, H, D), (B, H, T, D), (B, H, T, T) twice, (B, H, T, D), (B, T, H D).",
  };
  e.probes = Probes;
  e.witnesses = [] {
    return std::vector<Probe>{MakeProbe("", 1, 2, 1, 3), MakeProbe("", 1, 3, 2, 2),
                              MakeProbe("", 2, 3, 4, 5)};
  };
  e.reference = Reference;
  e.outputs = {"projected_q", "q_split_into_heads", "q_per_head",    "scores",
               "weights",     "context_per_head",   "context_merged"};
  e.knobs = {
      {"projected",
       "has all heads in the projection",
       {{"one_head", "forgets that q holds all heads: its width is H D"},
        {"time_first", "puts time before the batch"}}},
      {"split",
       "splits the width into (H, D)",
       {{"heads_first", "puts heads before time where q is only split, not yet transposed"},
        {"swapped", "splits the width into (D, H)"}}},
      {"per_head",
       "has heads before time",
       {{"not_transposed", "leaves time before heads in q per head"},
        {"transposed", "transposes q per head, which is what k needs"}}},
      {"scores",
       "has a score for each head, query and key",
       {{"no_heads", "forgets the heads in scores and weights"},
        {"width", "gives scores and weights the width of a head: they compare positions"},
        {"per_width", "gives scores and weights D by D, the product the other way round"}}},
      {"weights",
       "has weights of the scores' shape",
       {{"values", "gives the weights the shape of the values"},
        {"reduced", "lets the softmax drop a dimension; it keeps the shape"}}},
      {"context",
       "has D values for each head and position",
       {{"square", "gives the context the shape of the weights"},
        {"not_transposed", "has time before heads in the context per head"}}},
      {"merged",
       "merges the heads into H D",
       {{"heads_kept", "leaves the heads apart in the merged context"},
        {"one_head", "merges into the width of one head"}}},
  };
  e.checks = {
      AgreementCheck("values", "Every shape, for B = {B}, T = {T}", "ordinary", {},
                     "is what the other sizes stand on"),
      AgreementCheck("other_sizes", "The same for other sizes", "other", {"values"}),
      AgreementCheck("one_head", "The same for one head", "one_head", {"values"}),
  };
  e.checks[0].title = "Agreement: every shape";
  return e;
}

}  // namespace lemma::tools::grading
