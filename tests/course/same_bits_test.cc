// Training and sampling give the same bits for any number of threads, in both precisions, with
// dropout and with recomputation: hashes of all parameters after 20 steps.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/backward.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/random.h"
#include "autograd/threads.h"
#include "gtest/gtest.h"
#include "models/gpt/generate.h"
#include "models/gpt/gpt.h"
#include "nn/optim/adam.h"
#include "nn/optim/clip.h"
#include "tests/course/golden.h"

namespace lemma {
namespace {

using models::Gpt;
using models::GptConfig;

struct Case {
  const char* name;
  GptConfig config;
};

std::vector<Case> Cases() {
  GptConfig course;
  course.layers = 2;
  GptConfig bfloat16 = course;
  bfloat16.compute_dtype = DType::kBFloat16;
  GptConfig dropout = course;
  dropout.dropout = 0.2;
  dropout.tied_head = true;
  dropout.recompute = true;
  return {{"Float32", course}, {"BFloat16", bfloat16}, {"DropoutAndRecompute", dropout}};
}

class SameBits : public testing::TestWithParam<Case> {};

INSTANTIATE_TEST_SUITE_P(Table, SameBits, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

// The hash of every parameter after 20 steps, and a text.
std::vector<std::string> TrainAndSample(const GptConfig& config) {
  Generator generator(1), dropout(2), draws(3);
  Gpt model(config, generator, &dropout);
  optim::AdamW optimizer(model.NamedParameters());
  for (int step = 0; step < 20; ++step) {
    const Tensor tokens = RandInt(0, config.vocab, {12, 64}, draws);
    model.ZeroGrad();
    Backward(model.Loss(tokens, tokens));
    optim::ClipGradNorm(model.Parameters(), 1.0);
    optimizer.Step();
  }
  std::vector<std::string> hashes;
  for (const nn::NamedTensor& named : model.NamedParameters()) {
    hashes.push_back(absl::StrCat(named.name, " ", Sha256Of(named.value)));
  }
  model.Eval();
  models::GptGenerator text(model, {}, &draws);
  text.Append({0});
  for (int i = 0; i < 70; ++i) hashes.push_back(absl::StrCat("token ", text.Next()));
  return hashes;
}

TEST_P(SameBits, ForOneTwoAndThreeThreads) {
  const int before = NumThreads();
  SetNumThreads(1);
  const std::vector<std::string> expected = TrainAndSample(GetParam().config);
  for (const int threads : {2, 3}) {
    SetNumThreads(threads);
    EXPECT_EQ(TrainAndSample(GetParam().config), expected) << threads << " threads";
  }
  SetNumThreads(before);
}

}  // namespace
}  // namespace lemma
