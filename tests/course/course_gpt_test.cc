// The course's GPT against PyTorch's numbers, from its first draw to its fiftieth step.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "autograd/backward.h"
#include "autograd/ops/views.h"
#include "autograd/random.h"
#include "datasets/char_tokenizer.h"
#include "gtest/gtest.h"
#include "models/gpt/generate.h"
#include "models/gpt/gpt.h"
#include "nn/module.h"
#include "nn/optim/adam.h"
#include "tests/course/golden.h"

namespace lemma {
namespace {

using models::Gpt;
using models::GptConfig;

class CourseGpt : public testing::Test {
 protected:
  CourseGpt() : generator_(1337), model_(GptConfig{}, generator_) {}

  Generator generator_;
  Gpt model_;
  const nlohmann::json golden_ = ReadTestData("course_gpt_seed1337.json");
  const CourseBatch batch_ = FirstBatch();
};

// The gradient of each parameter under the course's names: rows of a parameter's gradient.
std::vector<nn::NamedTensor> NamedGradients(Gpt& model) {
  std::vector<nn::NamedTensor> gradients;
  for (const nn::Module::ParameterNames& names : model.AllNames()) {
    const Tensor grad = names.parameter.value.grad();
    if (names.views.empty()) gradients.push_back({names.parameter.name, grad});
    int64_t begin = 0;
    for (const nn::NamedTensor& view : names.views) {
      begin = (view.value.offset() - names.parameter.value.offset()) / grad.strides()[0];
      gradients.push_back({view.name, Slice(grad, 0, begin, begin + view.value.size(0))});
    }
  }
  return gradients;
}

TEST_F(CourseGpt, EveryInitialParameterIsPyTorchsToTheBit) {
  const std::vector<nn::NamedTensor> parameters = model_.NamedParameterViews();
  EXPECT_EQ(parameters.size(), golden_.at("init").size());
  for (const nn::NamedTensor& named : parameters) {
    ASSERT_TRUE(golden_.at("init").contains(named.name)) << named.name;
    EXPECT_EQ(Sha256Of(named.value), golden_.at("init").at(named.name).at("sha256")) << named.name;
  }
}

TEST_F(CourseGpt, HasTheCoursesNumberOfParameters) { EXPECT_EQ(model_.NumParameters(), 816640); }

TEST_F(CourseGpt, InitialLossAndLogitsAgree) {
  NoGrad no_grad;
  const double loss = model_.Loss(batch_.tokens, batch_.targets).Item();
  std::printf("initial loss %.8f, PyTorch's %.8f\n", loss,
              golden_.at("initial_loss").get<double>());
  EXPECT_NEAR(loss, golden_.at("initial_loss").get<double>(), 1e-6);
  EXPECT_LT(Distance(model_(batch_.tokens), golden_.at("logits")), 1e-5);
}

TEST_F(CourseGpt, EveryGradientAgrees) {
  Backward(model_.Loss(batch_.tokens, batch_.targets));
  double worst = 0;
  const std::vector<nn::NamedTensor> gradients = NamedGradients(model_);
  EXPECT_EQ(gradients.size(), golden_.at("grads").size());
  for (const nn::NamedTensor& named : gradients) {
    ASSERT_TRUE(golden_.at("grads").contains(named.name)) << named.name;
    const double distance = Distance(named.value, golden_.at("grads").at(named.name));
    EXPECT_LT(distance, 1e-5) << named.name;
    worst = std::max(worst, distance);
  }
  std::printf("largest distance of a gradient: %.2e of its largest entry\n", worst);
}

// Keeps the attention weights of one module.
class WeightsOf : public nn::Observer {
 public:
  explicit WeightsOf(std::string path) : path_(std::move(path)) {}
  void OnCall(const std::string&, const char*, const TensorList&, const Tensor&) override {}
  void OnValue(const std::string& path, const std::string& name, const Tensor& value) override {
    if (path == path_ && name == "weights") weights = value;
  }
  Tensor weights;

 private:
  const std::string path_;
};

TEST_F(CourseGpt, AttentionOfTheFirstHeadAgrees) {
  NoGrad no_grad;
  WeightsOf observer("blocks.0.attn");
  {
    const nn::Observer::Scope scope(observer);
    model_(batch_.tokens);
  }
  ASSERT_TRUE(observer.weights.defined());
  const Tensor head = Select(observer.weights, 1, 0);  // (1, T, T)
  EXPECT_LT(Distance(head, golden_.at("attention_block0_head0")), 1e-5);
}

TEST_F(CourseGpt, FiftyOneStepsOfAdamWGiveTheSameLosses) {
  const std::vector<double> losses = golden_.at("smoke_test_losses_adamw_lr1e-3");
  optim::AdamW optimizer(model_.NamedParameters(), {.lr = 1e-3});
  double worst = 0;
  for (size_t step = 0; step < losses.size(); ++step) {
    const Tensor loss = model_.Loss(batch_.tokens, batch_.targets);
    optimizer.ZeroGrad();
    Backward(loss);
    optimizer.Step();
    EXPECT_NEAR(loss.Item(), losses[step], 0.005 * losses[step]) << "step " << step;
    worst = std::max(worst, std::abs(loss.Item() - losses[step]) / losses[step]);
  }
  std::printf("largest relative difference of a loss: %.2e\n", worst);
  EXPECT_LT(model_.Loss(batch_.tokens, batch_.targets).Item(), losses[0] / 2);
}

TEST_F(CourseGpt, UntrainedSampleIsTheSameText) {
  const datasets::CharTokenizer tokenizer = datasets::CharTokenizer::Course();
  Generator draws(0);
  models::GptGenerator text(model_, {}, &draws);
  const int64_t newline = tokenizer.DefaultStart();
  text.Append(absl::MakeConstSpan(&newline, 1));
  for (int i = 0; i < 300; ++i) text.Next();
  EXPECT_EQ(*tokenizer.Decode(text.tokens()),
            golden_.at("untrained_sample_seed0_300").get<std::string>());
}

}  // namespace
}  // namespace lemma
