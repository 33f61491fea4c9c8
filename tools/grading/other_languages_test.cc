// Exercises whose inputs are functions, solved from the exported tensors and `functions` alone: in
// loops over numbers, as another language would.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "autograd/create.h"
#include "autograd/random.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"
#include "tools/grading/compare.h"
#include "tools/grading/exercise.h"
#include "tools/grading/files.h"
#include "tools/grading/judge.h"
#include "tools/grading/registry.h"
#include "tools/grading/report.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {
namespace {

constexpr uint64_t kSeed = 20260801;

using Numbers = std::vector<double>;
// Outputs for a probe.
using Solution = std::function<Tensor(const Probe& probe)>;

Report Grade(const std::string& name, const Solution& solution) {
  const Exercise& exercise = *FindExercise(name);
  Values outputs;
  for (const Probe& probe : exercise.probes(kSeed)) {
    outputs.Add(probe.name + "." + exercise.outputs[0], solution(probe));
  }
  FileExaminee examinee(outputs);
  return Judge(exercise, examinee, {.seed = kSeed, .left_out = {"deterministic", "clean"}});
}

// `right`: else the model sees the first tokens of the window.
Tensor Generated(const Probe& probe, bool right) {
  const Values& in = probe.inputs;
  const Numbers table = Doubles(in["table"]);
  const Numbers exponentials = Doubles(probe.for_files["exponentials"]);
  const size_t v = static_cast<size_t>(in["table"].size(0));
  const size_t context = static_cast<size_t>(in.Int("context"));
  std::vector<int64_t> tokens = in["prompt"].ToVector<int64_t>();
  for (int64_t i = 0; i < in.Int("count"); ++i) {
    const size_t length = std::min(tokens.size(), context);
    const size_t begin = right ? tokens.size() - length : 0;
    Numbers logits(v);
    for (size_t s = 0; s < length; ++s) {
      const double* row = &table[static_cast<size_t>(tokens[begin + s]) * v];
      const double factor = 0.7 * std::cos(0.9 * static_cast<double>(s + 1)) + (s + 1 == length);
      for (size_t c = 0; c < v; ++c) logits[c] += factor * row[c];
    }
    const double largest = *std::max_element(logits.begin(), logits.end());
    size_t best = 0;
    Numbers ratios(v);
    for (size_t c = 0; c < v; ++c) {
      ratios[c] = std::exp((logits[c] - largest) / in.Number("temperature")) /
                  exponentials[static_cast<size_t>(i) * v + c];
      if (ratios[c] > ratios[best]) best = c;
    }
    tokens.push_back(static_cast<int64_t>(best));
  }
  return FromVector(tokens, {static_cast<int64_t>(tokens.size())});
}

TEST(OtherLanguages, Generate) {
  EXPECT_TRUE(Grade("generate", [](const Probe& p) { return Generated(p, true); }).passed());
  const Report wrong = Grade("generate", [](const Probe& p) { return Generated(p, false); });
  ASSERT_FALSE(wrong.diagnosis.explanations.empty());
  EXPECT_TRUE(wrong.diagnosis.explanations[0].mistakes.Has("crop/first"));
}

// rows x columns times columns x columns.
Numbers Product(const Numbers& x, const Numbers& matrix, size_t columns) {
  Numbers y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t row = i / columns * columns;
    for (size_t k = 0; k < columns; ++k) y[i] += x[row + k] * matrix[k * columns + i % columns];
  }
  return y;
}

Numbers Normalised(const Numbers& x, const Numbers& weight) {
  const size_t c = weight.size();
  Numbers y(x.size());
  for (size_t row = 0; row < x.size(); row += c) {
    double mean = 0, variance = 0;
    for (size_t k = 0; k < c; ++k) mean += x[row + k] / static_cast<double>(c);
    for (size_t k = 0; k < c; ++k) {
      variance += (x[row + k] - mean) * (x[row + k] - mean) / static_cast<double>(c);
    }
    for (size_t k = 0; k < c; ++k) {
      y[row + k] = (x[row + k] - mean) / std::sqrt(variance + 1e-5) * weight[k];
    }
  }
  return y;
}

// The mean of the rows up to each, of every sample by itself.
Numbers MeansSoFar(const Numbers& x, size_t time, size_t c) {
  Numbers y(x.size()), sum(c);
  for (size_t i = 0; i < x.size(); ++i) {
    const size_t t = i / c % time;
    sum[i % c] = (t == 0 ? 0 : sum[i % c]) + x[i];
    y[i] = sum[i % c] / static_cast<double>(t + 1);
  }
  return y;
}

Tensor Block(const Probe& probe, bool second_norm) {
  const Values& in = probe.inputs;
  const size_t time = static_cast<size_t>(in["x"].size(1)),
               c = static_cast<size_t>(in["x"].size(2));
  Numbers stream = Doubles(in["x"]);
  const Numbers attention =
      Product(MeansSoFar(Normalised(stream, Doubles(in["ln1"])), time, c), Doubles(in["attn"]), c);
  for (size_t i = 0; i < stream.size(); ++i) stream[i] += attention[i];
  const Numbers read = second_norm ? Normalised(stream, Doubles(in["ln2"])) : stream;
  const Numbers mlp = Product(read, Doubles(in["mlp"]), c);
  std::vector<float> y(stream.size());
  for (size_t i = 0; i < y.size(); ++i) y[i] = static_cast<float>(stream[i] + std::tanh(mlp[i]));
  return FromVector(y, in["x"].shape());
}

TEST(OtherLanguages, GptBlock) {
  EXPECT_TRUE(Grade("gpt_block", [](const Probe& p) { return Block(p, true); }).passed());
  const Report wrong = Grade("gpt_block", [](const Probe& p) { return Block(p, false); });
  ASSERT_FALSE(wrong.diagnosis.explanations.empty());
  EXPECT_TRUE(wrong.diagnosis.explanations[0].mistakes.Has("norm/no_second"));
}

// y of layer i for x.
Numbers Layer(const Probe& probe, size_t i, const Numbers& x) {
  const Values& in = probe.inputs;
  const size_t batch = static_cast<size_t>(in["x"].size(0));
  const size_t time = static_cast<size_t>(in["x"].size(1)),
               c = static_cast<size_t>(in["x"].size(2));
  const Numbers mix = Doubles(in["mix"]), squares = Doubles(in["squares"]);
  Numbers y(x.size());
  for (size_t b = 0; b < batch; ++b) {
    for (size_t t = 0; t < time; ++t) {
      for (size_t s = 0; s < time; ++s) {
        const size_t at = ((i * batch + b) * time + t) * time + s;
        const double* row = &x[(b * time + s) * c];
        double square = 0;
        for (size_t k = 0; k < c; ++k) square += row[k] * row[k];
        for (size_t k = 0; k < c; ++k) {
          y[(b * time + t) * c + k] += mix[at] * row[k] + squares[at] * square;
        }
      }
    }
  }
  return y;
}

// `samples` of them are looked at.
Tensor Caught(const Probe& probe, size_t samples) {
  const Numbers x = Doubles(probe.inputs["x"]);
  const size_t time = static_cast<size_t>(probe.inputs["x"].size(1));
  const size_t c = static_cast<size_t>(probe.inputs["x"].size(2));
  Generator generator(3);
  Numbers other = x;
  for (size_t i = 0; i < x.size(); ++i) {
    float noise = 0;
    generator.Normal(absl::MakeSpan(&noise, 1), 0, 3);
    if (i / c % time == time - 1) other[i] = noise;
  }
  std::vector<int64_t> caught;
  for (size_t i = 0; i < 10; ++i) {
    const Numbers before = Layer(probe, i, x), after = Layer(probe, i, other);
    double leak = 0;
    for (size_t j = 0; j < std::min(x.size(), samples * time * c); ++j) {
      if (j / c % time < time - 1) leak = std::max(leak, std::abs(before[j] - after[j]));
    }
    caught.push_back(leak > 1e-6);
  }
  return FromVector(caught, {10});
}

TEST(OtherLanguages, LeakTest) {
  EXPECT_TRUE(Grade("leak_test", [](const Probe& p) { return Caught(p, 99); }).passed());
  const Report wrong = Grade("leak_test", [](const Probe& p) { return Caught(p, 1); });
  ASSERT_FALSE(wrong.diagnosis.explanations.empty());
  EXPECT_TRUE(wrong.diagnosis.explanations[0].mistakes.Has("compare/first_sample"));
}

}  // namespace
}  // namespace lemma::tools::grading
