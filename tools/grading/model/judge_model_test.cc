// Each check fails on a model that is broken for it, and says so; a right one passes all.
#include "tools/grading/model/judge_model.h"

#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/error.h"
#include "autograd/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "tools/grading/model/broken_models.h"
#include "tools/grading/model/parameter_shapes.h"
#include "tools/grading/other_reports.h"

namespace lemma::tools::grading {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Names = std::set<std::string>;

models::GptConfig SmallConfig() {
  return {.vocab = 13, .context = 12, .width = 24, .heads = 3, .layers = 2};
}

Report JudgeBroken(const Mistake& mistake, const ModelJudgeOptions& options,
                   bool untrained = false) {
  BrokenModel model(SmallConfig(), mistake);
  const std::vector<ParameterShape> shapes = ShapesOf(model.Parameters());
  return JudgeModel({.model = &model, .given = shapes, .right = shapes, .untrained = untrained},
                    options);
}

Names IdsWith(const Report& report, Verdict verdict) {
  Names ids;
  for (const CheckResult& check : report.checks) {
    if (check.verdict == verdict) ids.insert(check.id);
  }
  return ids;
}

const CheckResult& Result(const Report& report, const std::string& id) {
  for (const CheckResult& check : report.checks) {
    if (check.id == id) return check;
  }
  ADD_FAILURE() << "no check " << id;
  return report.checks[0];
}

std::string ProblemOf(const Mistake& mistake, const std::string& id) {
  const Report report = JudgeBroken(mistake, {});
  const CheckResult& result = Result(report, id);
  EXPECT_EQ(result.verdict, Verdict::kFailed) << result.measured;
  const std::string text = absl::StrCat(result.where, " | ", result.problem);
  std::cout << id << ": " << result.measured << " | " << text << '\n';
  return text;
}

TEST(JudgeModel, PassesARightModel) {
  const Report report = JudgeBroken({}, {});
  for (const CheckResult& check : report.checks) {
    EXPECT_EQ(check.verdict, Verdict::kPassed) << check.id << ": " << check.problem;
    std::cout << check.id << ": " << check.measured << '\n';
  }
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.checks.size(), ModelChecks().size());
}

TEST(JudgeModel, PassesRightModelsOfAllKinds) {
  const std::vector<models::GptConfig> configs = {
      {.vocab = 2, .context = 5, .width = 8, .heads = 1, .layers = 1},
      {.vocab = 13, .context = 1, .width = 8, .heads = 2, .layers = 1},
      {.vocab = 1, .context = 4, .width = 8, .heads = 2, .layers = 1},
      {.vocab = 70,
       .context = 20,
       .width = 16,
       .heads = 4,
       .layers = 1,
       .tied_head = true,
       .bias = false,
       .norm_bias = false,
       .init = models::GptInit::kGpt2},
      {.vocab = 30,
       .context = 9,
       .width = 32,
       .heads = 1,
       .layers = 2,
       .head_bias = true,
       .qkv_bias = true,
       .gelu_tanh = true}};
  for (const models::GptConfig& config : configs) {
    BrokenModel model(config, {});
    const std::vector<ParameterShape> shapes = ShapesOf(model.Parameters());
    const Report report = JudgeModel({.model = &model, .given = shapes, .right = shapes}, {});
    for (const CheckResult& check : report.checks) {
      EXPECT_EQ(check.verdict, Verdict::kPassed)
          << config.ToJson() << ", " << check.id << ": " << check.measured << " " << check.problem;
    }
  }
}

// Which checks fail on which broken model, whatever failed before them.
TEST(JudgeModel, EachCheckFailsOnWhatIsBrokenForIt) {
  const struct {
    const char* name;
    Mistake mistake;
    Names fails;
  } kTable[] = {
      {"no mask", NoMask(), {"causality", "cache"}},
      {"mixes rows", MixesRows(), {"causality"}},
      {"sees no tokens", SeesNoTokens(), {"causality"}},
      {"cache positions start again", CachePositionsStartAgain(), {"cache"}},
      {"cache positions off by one", CachePositionsOffByOne(), {"cache"}},
      {"wrong gradient", WrongGradient(), {"gradient"}},
      {"cut gradient", CutGradient(), {"gradient", "overfit"}},
      {"large initial values", LargeInitialValues(), {"initial_loss"}},
      {"learned from a leak", LearnedFromALeak(), {"random_tokens"}},
      {"knows one token", KnowsOneToken(), {"overfit"}},
      {"drops out", DropsOut(), {"deterministic", "causality", "cache", "gradient"}},
      {"not a number",
       NotANumber(),
       {"finite", "causality", "cache", "gradient", "random_tokens", "overfit"}},
  };
  Names killers = {"count"};
  for (const auto& row : kTable) {
    const Report report = JudgeBroken(row.mistake, {.all_checks = true});
    const Names failed = IdsWith(report, Verdict::kFailed);
    std::cout << row.name << ":";
    for (const std::string& id : failed) std::cout << " " << id;
    std::cout << '\n';
    EXPECT_EQ(failed, row.fails) << row.name;
    killers.insert(failed.begin(), failed.end());
  }
  for (const ModelCheck& check : ModelChecks()) {
    EXPECT_EQ(killers.count(check.id), 1u) << check.id << " fails on no broken model";
  }
}

TEST(JudgeModel, SaysWhatIsBroken) {
  EXPECT_THAT(ProblemOf(NoMask(), "causality"), HasSubstr("which comes later: is there no mask?"));
  EXPECT_THAT(ProblemOf(MixesRows(), "causality"), HasSubstr("other rows of the batch"));
  EXPECT_THAT(ProblemOf(SeesNoTokens(), "causality"), HasSubstr("the model does not see it"));
  EXPECT_THAT(ProblemOf(CachePositionsStartAgain(), "cache"),
              HasSubstr("position 1, pieces of 1, 1, 1, ... | the cache changes the model"));
  EXPECT_THAT(ProblemOf(WrongGradient(), "gradient"),
              HasSubstr("tok.weight | along a random direction its gradient says"));
  EXPECT_THAT(ProblemOf(WrongGradient(), "gradient"), HasSubstr("tensors more are wrong"));
  EXPECT_THAT(ProblemOf(LargeInitialValues(), "initial_loss"),
              HasSubstr("initial values are too large: logits have standard deviation 5.9"));
  EXPECT_THAT(ProblemOf(LearnedFromALeak(), "random_tokens"),
              HasSubstr("random tokens cannot be predicted, so it sees those"));
  EXPECT_THAT(ProblemOf(KnowsOneToken(), "overfit"),
              HasSubstr("it does not learn one text by heart"));
  EXPECT_THAT(ProblemOf(DropsOut(), "deterministic"), HasSubstr("is dropout still on?"));
  EXPECT_THAT(ProblemOf(NotANumber(), "finite"),
              HasSubstr("lnf.weight, element 3 of 24 | the value is nan"));
  EXPECT_THAT(ProblemOf(LastPositionOnly(), "finite"),
              HasSubstr("it threw: [model] logits: they must be (B, t, V) = (2, 12, 13); they are "
                        "(2, 1, 13)"));
}

// What was wrong before is not billed again.
TEST(JudgeModel, JudgesNothingWhosePrerequisitesFailed) {
  const Report report = JudgeBroken(DropsOut(), {});
  EXPECT_EQ(IdsWith(report, Verdict::kFailed), Names({"deterministic"}));
  EXPECT_THAT(Result(report, "causality").because, ElementsAre("deterministic"));
  EXPECT_THAT(Result(report, "cache").because, ElementsAre("deterministic", "causality"));
  EXPECT_FALSE(report.passed());
}

TEST(JudgeModel, DoesNotBillTheModelForLackOfMemory) {
  const Mistake too_large = {.logits = [](models::Gpt&, const Tensor&) -> Tensor {
    Fail("allocate", "the system has no memory left");
  }};
  EXPECT_THROW(JudgeBroken(too_large, {}), Error);
}

TEST(JudgeModel, JudgesTheLossOfInitialValuesThatAreGiven) {
  const Report report = JudgeBroken({.values = LargeInitialValues().initial_values}, {}, true);
  EXPECT_THAT(Result(report, "initial_loss").measured, HasSubstr("loss of its initial values"));
  EXPECT_EQ(Result(report, "initial_loss").verdict, Verdict::kFailed);
}

TEST(JudgeModel, NamesParametersThatAreNotRight) {
  Generator generator(1);
  models::GptConfig without = SmallConfig();
  without.bias = false;
  models::Gpt right(SmallConfig(), generator), given(without, generator);
  const Report report = JudgeModel(
      {.given = ShapesOf(given.NamedParameters()), .right = ShapesOf(right.NamedParameters())}, {});
  EXPECT_EQ(IdsWith(report, Verdict::kFailed), Names({"count"}));
  EXPECT_EQ(IdsWith(report, Verdict::kNotJudged).size(), ModelChecks().size() - 1);
  EXPECT_THAT(Result(report, "overfit").because, ElementsAre("count"));
  EXPECT_THAT(Result(report, "count").measured,
              HasSubstr("14,976 parameters in 21 tensors (exactly 15,264)"));
  EXPECT_THAT(Result(report, "count").problem,
              HasSubstr("blocks.0.attn.proj.bias (24,) is missing: 24 parameters, 0.2 %"));
}

TEST(JudgeModel, RunsOnlyTheChecksThatAreChosen) {
  const Report report = JudgeBroken(NoMask(), {.only = {"count", "cache"}});
  ASSERT_EQ(report.checks.size(), 2u);
  EXPECT_EQ(report.checks[1].id, "cache");
  EXPECT_EQ(report.checks[1].verdict, Verdict::kFailed);
}

TEST(JudgeModel, GivesTheReportsTheirParts) {
  size_t calls = 0;
  std::string last;
  ModelJudgeOptions options = {.only = {"count", "causality"}, .weights = {{"causality", 3}}};
  options.status = [&](const std::string& what) { last = what; };
  options.progress = [&](const Report& so_far) { EXPECT_EQ(so_far.checks.size(), ++calls); };
  const Report report = JudgeBroken({}, options);
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(last, "causality");
  EXPECT_THAT(GradescopeReport(PlannedReport({}, options), {}), HasSubstr("\"max_score\": 75.0"));
  EXPECT_THAT(GradescopeReport(PlannedReport({}, options), {}), HasSubstr("not reached"));
  EXPECT_THAT(JUnitReport(report), HasSubstr("<testsuite name=\"model\" tests=\"2\""));
}

}  // namespace
}  // namespace lemma::tools::grading
