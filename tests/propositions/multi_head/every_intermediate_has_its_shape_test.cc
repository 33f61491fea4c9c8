#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/triangle.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "autograd/shape.h"
#include "gtest/gtest.h"
#include "nn/attention.h"
#include "nn/module.h"
#include "tests/propositions/measure.h"
#include "tests/propositions/multi_head/multi_head.h"
#include "tests/propositions/proposition.h"

namespace lemma::propositions {
namespace {

const Proposition kProposition(
    {.statement = "Every intermediate of the multi-head layer has the shape that B, T, H and D "
                  "predict: from (B, T, H D) through (B, H, T, D) and scores (B, H, T, T) back to "
                  "(B, T, H D).",
     .source = "LM3-L3, self-check 4",
     .exact =
         "exactly; the tensors are the layer's own, seen by an observer, or views and products "
         "of them that give the observed weights and joined heads up to rounding"});

using Options = std::function<nn::MultiHeadAttentionOptions(const LayerCase&)>;

// What goes in and out of the layer's parts, and its weights.
class Recorder : public nn::Observer {
 public:
  void OnCall(const std::string& path, const char*, const TensorList& inputs,
              const Tensor& output) override {
    seen["into " + path] = inputs[0];
    seen["out of " + path] = output;
  }
  void OnValue(const std::string&, const std::string& name, const Tensor& value) override {
    seen[name] = value;
  }

  std::map<std::string, Tensor> seen;
};

struct Intermediates {
  std::vector<std::pair<std::string, Tensor>> stages;
  double distance = 0;  // of the computed weights and joined heads from the layer's own
};

double Distance(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() ? LargestDifference(a, b) : std::numeric_limits<double>::infinity();
}

Intermediates Observe(const Options& options, const LayerCase& c) {
  Generator generator(c.seed);
  nn::MultiHeadAttention layer(options(c), generator);
  Recorder recorder;
  {
    const nn::Observer::Scope scope(recorder);
    layer(RandN({c.batch, c.time, c.in}, generator));
  }
  const Tensor projected = recorder.seen["out of q_proj"];
  const Tensor split = Reshape(projected, {c.batch, c.time, c.heads, c.head_width});
  const Tensor q = Transpose(split, 1, 2);
  const Tensor k = SplitHeads(recorder.seen["out of k_proj"], c.heads);
  const Tensor v = SplitHeads(recorder.seen["out of v_proj"], c.heads);
  const Tensor scores =
      MatMul(q, Transpose(k, 2, 3)) / std::sqrt(static_cast<double>(c.head_width));
  const Tensor hidden = Triu(Ones({c.time, c.time}, DType::kBool), 1);
  const Tensor weights = Softmax(MaskedFill(scores, hidden, -INFINITY), -1);
  const Tensor context = MatMul(weights, v);
  return {.stages = {{"projected q", projected},
                     {"q split into heads", split},
                     {"q per head", q},
                     {"scores", scores},
                     {"weights", recorder.seen["weights"]},
                     {"context per head", context},
                     {"context merged", recorder.seen["into out_proj"]},
                     {"output", recorder.seen["out of out_proj"]}},
          .distance = std::max(Distance(weights, recorder.seen["weights"]),
                               Distance(MergeHeads(context), recorder.seen["into out_proj"]))};
}

std::vector<Shape> Expected(const LayerCase& c) {
  const int64_t b = c.batch, t = c.time, h = c.heads, d = c.head_width;
  return {{b, t, h * d}, {b, t, h, d}, {b, h, t, d},  {b, h, t, t},
          {b, h, t, t},  {b, h, t, d}, {b, t, h * d}, {b, t, h * d}};
}

std::vector<Measurement> EveryShapeIsPredicted(const Options& options) {
  int64_t wrong = 0, seen = 0;
  double distance = 0;
  for (const LayerCase& c : LayerCases()) {
    const Intermediates found = Observe(options, c);
    const std::vector<Shape> expected = Expected(c);
    for (size_t i = 0; i < expected.size(); ++i, ++seen) {
      const Shape& shape = found.stages[i].second.shape();
      wrong += !(shape == expected[i]);
      if (c.seed == 0) std::cout << found.stages[i].first << ' ' << shape.ToString() << '\n';
    }
    distance = std::max(distance, found.distance);
  }
  return {
      Exactly("shapes that differ, of 8 stages at 21 sizes", wrong, 0),
      Exactly("shapes seen", seen, 168),
      AtMost("largest distance of weights and joined heads from the layer's own", distance, 1e-6)};
}

TEST(Intermediates, HaveTheirShapes) { ExpectHolds(EveryShapeIsPredicted(CausalOptions)); }

TEST(Intermediates, GoesRedWithOneHead) {
  ExpectBroken(EveryShapeIsPredicted([](const LayerCase& c) {
    nn::MultiHeadAttentionOptions options = CausalOptions(c);
    options.heads = 1;
    return options;
  }));
}

TEST(Intermediates, GoesRedWhereAnotherWidthIsSplit) {
  ExpectBroken(EveryShapeIsPredicted([](const LayerCase& c) {
    nn::MultiHeadAttentionOptions options = CausalOptions(c);
    options.heads = c.head_width;  // H and D exchanged
    return options;
  }));
}

}  // namespace
}  // namespace lemma::propositions
