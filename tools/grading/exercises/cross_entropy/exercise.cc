#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/ops/cast.h"
#include "tools/grading/checks.h"
#include "tools/grading/draw.h"
#include "tools/grading/exercises/exercises.h"
#include "tools/grading/homework.h"

namespace lemma::tools::grading {
namespace {

Probe MakeProbe(const std::string& name, int64_t n, int64_t v, uint64_t seed, double spread,
                double shift = 0) {
  Draw draw(seed);
  return {.name = name,
          .inputs = Values()
                        .Add("logits", draw.Normal({n, v}, spread) + shift)
                        .Add("targets", draw.Tokens({n}, v)),
          .sizes = {{"N", n}, {"V", v}}};
}

std::vector<Probe> Probes(uint64_t seed) {
  return {MakeProbe("ordinary", 5, 7, seed, 2), MakeProbe("large_logits", 6, 4, seed + 1, 500),
          MakeProbe("one_row", 1, 9, seed + 2, 2),
          MakeProbe("low_logits", 3, 8, seed + 3, 3, -400)};
}

std::vector<Probe> Witnesses() {
  std::vector<Probe> probes;
  for (const int64_t n : {1, 2}) {
    for (const int64_t v : {2, 3}) {
      Draw draw(3);
      probes.push_back({.name = "",
                        .inputs = Values()
                                      .Add("logits", draw.Whole({n, v}, -2, 2))
                                      .Add("targets", draw.Tokens({n}, v)),
                        .sizes = {{"N", n}, {"V", v}}});
    }
  }
  return probes;
}

Tensor LogProbabilities(const Tensor& z, const Mistakes& m) {
  if (m.Has("softmax/rows")) return LogSoftmax(z, 0);
  if (m.Has("softmax/none")) return z;
  if (m.Has("softmax/twice")) return LogSoftmax(Softmax(z, 1), 1);
  if (m.Has("stability/overflows")) {
    const Tensor e = Exp(z);
    return Log(e / Sum(e, {1}, true));
  }
  if (m.Has("stability/log_of_zero")) return Log(Softmax(z, 1));
  if (m.Has("stability/guarded")) return Log(Softmax(z, 1) + 1e-9);
  return LogSoftmax(z, 1);
}

Values Reference(const Values& in, const Mistakes& m) {
  const Tensor z = in["logits"];
  const int64_t n = z.size(0), v = z.size(1);
  Tensor targets = in["targets"];
  if (m.Has("target/next_class")) {
    std::vector<int64_t> moved = targets.ToVector<int64_t>();
    for (int64_t& t : moved) t = (t + 1) % v;
    targets = FromVector(moved, {n});
  }
  const Tensor log_p = LogProbabilities(z, m);
  Tensor picked = Squeeze(Gather(log_p, 1, Unsqueeze(targets, 1)), 1);  // (N)
  if (m.Has("target/all_classes")) picked = Sum(log_p, {1});
  if (m.Has("target/largest")) picked = AMax(log_p, {1});
  if (const auto share = m.Number("target/smoothed")) {
    picked = picked * (1 - *share) + Mean(log_p, {1}) * *share;
  }
  if (m.Has("log/none")) picked = Exp(picked);
  Tensor loss = m.Has("sign/plus") ? picked : Neg(picked);
  if (m.Has("log/base_two")) loss = loss / std::log(2.0);
  if (m.Has("log/base_ten")) loss = loss / std::log(10.0);
  if (m.Has("mean/none")) return Values().Add("loss", loss);
  if (m.Has("mean/sum")) return Values().Add("loss", Sum(loss));
  if (m.Has("mean/of_all")) return Values().Add("loss", Sum(loss) / static_cast<double>(n * v));
  if (m.Has("mean/exponential")) return Values().Add("loss", Exp(Mean(loss)));
  return Values().Add("loss", Mean(loss));
}

}  // namespace

Exercise CrossEntropyExercise() {
  Exercise e;
  e.name = "cross_entropy";
  e.title = "Mean cross entropy";
  e.source = "Step 5, 5.4, verification 3";
  e.task = "The loss of a language model: the mean of -log softmax(logits)[target].";
  e.hints = {
      "What is exp(800) in float32, and does log(softmax) need it?",
      "log softmax(z)[t] = z[t] - logsumexp(z): no probability is ever made.",
      "Mean(LogSumExp(logits, {-1}) - Squeeze(Gather(logits, 1, Unsqueeze(targets, 1)), 1)).",
  };
  e.probes = Probes;
  e.witnesses = Witnesses;
  e.reference = Reference;
  e.outputs = {"loss"};
  e.knobs = {
      {"softmax",
       "takes the softmax over the classes",
       {{"rows", "takes the softmax over the rows, not over the classes"},
        {"none", "takes logits for log-probabilities, without a softmax"},
        {"twice", "takes the softmax twice"}}},
      {"stability",
       "subtracts the largest logit first",
       {{"overflows", "takes exponentials of raw logits, which overflow beyond 88"},
        {"log_of_zero", "takes the logarithm of a softmax that has become 0"},
        {"guarded", "adds a small number before the logarithm, which caps the loss"}}},
      {"target",
       "picks the target's log-probability",
       {{"next_class", "picks the class after the target"},
        {"all_classes", "sums over all classes, not only the target"},
        {"largest", "picks the most probable class, not the target"},
        {.id = "smoothed",
         .what = "smooths the labels: all classes together have a share of {number}",
         .fitted = Range{.high = 1}}}},
      {"log",
       "is in nats",
       {{"none", "takes the probability, not its logarithm"},
        {"base_two", "is in bits, not in nats"},
        {"base_ten", "takes the logarithm to base 10"}}},
      {"sign", "is minus the logarithm", {{"plus", "forgets the minus sign"}}},
      {"mean",
       "is the mean over rows",
       {{"none", "returns a loss for each row, not their mean"},
        {"sum", "sums over the rows, and does not divide by N = {N}"},
        {"of_all", "divides by N V, not by N = {N}"},
        {"exponential", "returns the perplexity, the exponential of the loss"}}},
  };
  e.checks = {
      ShapesCheck(),
      DeterministicCheck(),
      CleanCheck(),
      AgreementCheck(
          "values", "Agreement: ordinary logits", "ordinary", {"shapes"},
          "is what the other inputs stand on, and the plainest measure of how far off it is"),
      AgreementCheck("large_logits", "Agreement: logits of hundreds", "large_logits",
                     {"shapes", "values"}),
      AgreementCheck("low_logits", "Agreement: logits near -400", "low_logits",
                     {"shapes", "values"}),
      AgreementCheck("one_row", "Agreement: one row", "one_row", {"shapes", "values"}),
  };
  return e;
}

}  // namespace lemma::tools::grading
