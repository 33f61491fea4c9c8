#include <functional>
#include <string>
#include <vector>

#include "tools/grading/exercises/gpt_block/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallGptBlock;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Function = Tensor (*)(const BlockParts& p, const Tensor& x);

Callable Bound(Function function) {
  return [function](const Values& in) { return CallGptBlock(function, in); };
}

Tensor TwoLines(const BlockParts& p, const Tensor& x) {
  const Tensor y = x + p.attn(p.ln1(x));
  return y + p.mlp(p.ln2(y));
}

// One sample after the other.
Tensor BySample(const BlockParts& p, const Tensor& x) {
  std::vector<Tensor> samples;
  for (const Tensor& sample : Split(x, 1, 0)) samples.push_back(TwoLines(p, sample));
  return Concat(samples, 0);
}

// The stream as the sum of its writers.
Tensor SumOfWriters(const BlockParts& p, const Tensor& x) {
  const Tensor from_attention = p.attn(p.ln1(x));
  const Tensor from_mlp = p.mlp(p.ln2(x + from_attention));
  return x + (from_attention + from_mlp);
}

std::vector<Specimen> Mistaken() {
  const auto wrong = [](const char* name, std::vector<std::string> ids, Function f) {
    return Specimen{name, Bound(f), std::move(ids)};
  };
#define BLOCK const BlockParts &p, const Tensor &x
  return {
      wrong("halves_added", {"residual/other"},
            [](BLOCK) {
              const Tensor y = x + p.attn(p.ln1(x)) * 0.5;
              return y + p.mlp(p.ln2(y)) * 0.5;
            }),
      wrong("post_norm", {"norm/post"},
            [](BLOCK) {
              const Tensor y = p.ln1(x + p.attn(x));
              return p.ln2(y + p.mlp(y));
            }),
      wrong("no_norms", {"norm/none"},
            [](BLOCK) {
              const Tensor y = x + p.attn(x);
              return y + p.mlp(y);
            }),
      wrong("attention_reads_the_stream", {"norm/no_first"},
            [](BLOCK) {
              const Tensor y = x + p.attn(x);
              return y + p.mlp(p.ln2(y));
            }),
      wrong("mlp_reads_the_stream", {"norm/no_second"},
            [](BLOCK) {
              const Tensor y = x + p.attn(p.ln1(x));
              return y + p.mlp(y);
            }),
      wrong("one_norm_for_both", {"norm/first_twice"},
            [](BLOCK) {
              const Tensor y = x + p.attn(p.ln1(x));
              return y + p.mlp(p.ln1(y));
            }),
      wrong("norms_swapped", {"norm/swapped"},
            [](BLOCK) {
              const Tensor y = x + p.attn(p.ln2(x));
              return y + p.mlp(p.ln1(y));
            }),
      wrong("normalised_at_the_end", {"norm/after_too"},
            [](BLOCK) { return p.ln2(TwoLines(p, x)); }),
      wrong("no_residuals", {"residual/none"},
            [](BLOCK) { return p.mlp(p.ln2(p.attn(p.ln1(x)))); }),
      wrong("no_first_residual", {"residual/no_first"},
            [](BLOCK) {
              const Tensor y = p.attn(p.ln1(x));
              return y + p.mlp(p.ln2(y));
            }),
      wrong("no_second_residual", {"residual/no_second"},
            [](BLOCK) { return p.mlp(p.ln2(x + p.attn(p.ln1(x)))); }),
      wrong("residual_of_the_norm", {"residual/of_the_norm"},
            [](BLOCK) {
              const Tensor a = p.ln1(x), b = p.ln2(a + p.attn(a));
              return b + p.mlp(b);
            }),
      wrong("subtracted", {"residual/subtracted"},
            [](BLOCK) {
              const Tensor y = x - p.attn(p.ln1(x));
              return y - p.mlp(p.ln2(y));
            }),
      wrong("mlp_first", {"order/mlp_first"},
            [](BLOCK) {
              const Tensor y = x + p.mlp(p.ln1(x));
              return y + p.attn(p.ln2(y));
            }),
      wrong("parallel", {"order/parallel"},
            [](BLOCK) { return x + p.attn(p.ln1(x)) + p.mlp(p.ln2(x)); }),
      wrong("attention_lost", {"order/from_the_input"},
            [](BLOCK) { return x + p.mlp(p.ln2(x + p.attn(p.ln1(x)))); }),
      wrong("mlp_first_without_norm", {"norm/no_first", "order/mlp_first"},
            [](BLOCK) {
              const Tensor y = x + p.mlp(x);
              return y + p.attn(p.ln2(y));
            }),
      wrong("unsteady", {"deterministic"},
            [](BLOCK) { return TwoLines(p, x) * lemma::tools::grading::UnsteadyOne(); }),
      wrong("writes_its_input", {"clean"},
            [](BLOCK) {
              const Tensor y = TwoLines(p, x);
              Tensor written = x;
              *written.mutable_data<float>() += 1;
              return y;
            }),
      wrong("in_float64", {"shapes"},
            [](BLOCK) { return lemma::tools::grading::InFloat64(TwoLines(p, x)); }),
      wrong("flattened", {"shapes"},
            [](BLOCK) {
              return Reshape(TwoLines(p, x), {-1, x.size(2)});
            }),
      wrong("squeezes_the_batch", {"one_sample"},
            [](BLOCK) { return x.size(0) == 1 ? Squeeze(TwoLines(p, x), 0) : TwoLines(p, x); }),
      wrong("squeezes_the_time", {"one_position"},
            [](BLOCK) { return x.size(1) == 1 ? Squeeze(TwoLines(p, x), 1) : TwoLines(p, x); }),
  };
#undef BLOCK
}

const Specimens kSpecimens("gpt_block",
                           {{"two_lines", Bound(TwoLines)},
                            {"by_sample", Bound(BySample)},
                            {"sum_of_writers", Bound(SumOfWriters)}},
                           Mistaken());

}  // namespace
}  // namespace homework
