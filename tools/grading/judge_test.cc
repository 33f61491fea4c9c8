// The judge, the diagnosis and the witness on an exercise of one line: y = 2 x + 1.
#include "tools/grading/judge.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "gtest/gtest.h"
#include "tools/grading/checks.h"
#include "tools/grading/json_report.h"
#include "tools/grading/terminal_report.h"

namespace lemma::tools::grading {
namespace {

using Function = std::function<Tensor(const Tensor& x)>;

Probe MakeProbe(const std::string& name, std::initializer_list<float> x) {
  return {.name = name,
          .inputs = Values().Add("x", FromValues<float>(x)),
          .sizes = {{"N", static_cast<int64_t>(x.size())}}};
}

Exercise Line() {
  Exercise e;
  e.name = "line";
  e.probes = [](uint64_t) {
    return std::vector<Probe>{MakeProbe("ordinary", {1, 2, -3}), MakeProbe("zero", {0})};
  };
  e.witnesses = [] {
    return std::vector<Probe>{MakeProbe("", {0}), MakeProbe("", {1}), MakeProbe("", {2})};
  };
  e.reference = [](const Values& in, const Mistakes& m) {
    const double slope = m.Has("slope/one") ? 1 : m.Number("slope/other").value_or(2);
    const double offset = m.Has("offset/none") || m.Has("offset/forgotten") ? 0
                          : m.Has("offset/minus")                           ? -1
                                                                            : 1;
    return Values().Add("y", in["x"] * slope + offset);
  };
  e.outputs = {"y"};
  e.knobs = {
      {"slope",
       "has slope 2",
       {{"one", "has slope 1 for {N} values"},
        {.id = "other", .what = "multiplies by {number}, not by 2", .fitted = Range{}}}},
      {"offset",
       "adds 1",
       {{"none", "adds nothing"}, {"minus", "adds -1"}, {"forgotten", "forgets the offset"}}}};
  e.checks = {ShapesCheck(), AgreementCheck("values", "Agreement", "ordinary"),
              AgreementCheck("zero", "At zero", "zero", {"shapes", "values"})};
  return e;
}

class InProcess : public Examinee {
 public:
  explicit InProcess(Function f) : f_(std::move(f)) {}
  Answer Ask(const Probe& probe) override {
    return {.outputs = Values().Add("y", f_(probe.inputs["x"]))};
  }

 private:
  const Function f_;
};

Report ReportOf(Function f) {
  InProcess examinee(std::move(f));
  return Judge(Line(), examinee, {});
}

TEST(Judge, PassesWhatIsRight) {
  const Report report = ReportOf([](const Tensor& x) { return x + x + 1; });
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.Score(), 1);
  EXPECT_EQ(report.diagnosis.text, "");
}

TEST(Judge, NamesOneMistakeWithItsDistance) {
  const Report report = ReportOf([](const Tensor& x) { return x + 1; });
  EXPECT_TRUE(absl::StartsWith(report.diagnosis.text,
                               "Your output equals, to 0, one that has slope 1 for 3 values."));
}

TEST(Judge, NamesTwoMistakesTogether) {
  const Report report = ReportOf([](const Tensor& x) { return x - 1; });
  ASSERT_EQ(report.diagnosis.explanations.size(), 1u);
  EXPECT_EQ(report.diagnosis.explanations[0].mistakes.ids(),
            (std::vector<std::string>{"slope/one", "offset/minus"}));
}

TEST(Judge, NamesAllMistakesThatCannotBeToldApart) {
  const Report report = ReportOf([](const Tensor& x) { return 2 * x; });
  EXPECT_EQ(report.diagnosis.explanations.size(), 2u);
  EXPECT_TRUE(absl::StrContains(report.diagnosis.text, "cannot be told from"));
}

TEST(Judge, FitsANumberThatNoListHolds) {
  const Report report = ReportOf([](const Tensor& x) { return 3.25 * x + 1; });
  EXPECT_TRUE(absl::StrContains(report.diagnosis.text, "multiplies by 3.25, not by 2"))
      << report.diagnosis.text;
}

TEST(Judge, DoesNotGuess) {
  const Report report = ReportOf([](const Tensor& x) { return x * x; });
  EXPECT_TRUE(report.diagnosis.explanations.empty());
  EXPECT_TRUE(absl::StrContains(report.diagnosis.text, "none of the known mistakes"));
}

TEST(Judge, BillsOneMistakeOnce) {
  const Report report = ReportOf([](const Tensor& x) { return Cast(x, DType::kFloat64); });
  EXPECT_EQ(report.CountOf(Verdict::kFailed), 1u);
  EXPECT_EQ(report.checks[1].because, std::vector<std::string>{"shapes"});
}

TEST(Judge, ShowsTheSmallestCase) {
  const Report report = ReportOf([](const Tensor& x) { return x + 1; });
  ASSERT_TRUE(report.witness);
  EXPECT_EQ(report.witness->outputs[0].yours[0][0], 2);
  EXPECT_EQ(report.witness->outputs[0].right[0][0], 3);
}

TEST(Report, ShowsNothingAboveItsCap) {
  const Report full = ReportOf([](const Tensor& x) { return x + 1; });
  EXPECT_TRUE(absl::StrContains(TerminalReport(full, false), "right"));
  const Report why = Capped(full, Detail::kWhy);
  EXPECT_FALSE(why.witness);
  EXPECT_NE(why.diagnosis.text, "");
  const Report where = Capped(full, Detail::kWhere);
  EXPECT_EQ(where.diagnosis.text, "");
  EXPECT_FALSE(absl::StrContains(JsonReport(where), "slope"));
  EXPECT_TRUE(absl::StrContains(JsonReport(where), "distance"));
  const Report verdict = Capped(full, Detail::kVerdict);
  EXPECT_FALSE(absl::StrContains(TerminalReport(verdict, false), "distance"));
  EXPECT_FALSE(absl::StrContains(JsonReport(verdict), "distance"));
  EXPECT_EQ(verdict.CountOf(Verdict::kFailed), full.CountOf(Verdict::kFailed));
}

TEST(Report, IsNoWiderThanItsTerminal) {
  Report report = {.exercise = "line"};
  const std::string problem = "it does one thing where the other is asked for, and then another";
  report.checks = {{.title = "Short", .verdict = Verdict::kFailed, .problem = problem}};
  EXPECT_TRUE(absl::StrContains(TerminalReport(report, false), problem));
  for (const absl::string_view line : absl::StrSplit(TerminalReport(report, false, 25), '\n')) {
    EXPECT_LE(line.size(), 25u) << line;
  }
}

TEST(Report, HasColourOnTerminalsWhoseUserWantsIt) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_TRUE(WantsColour(true));
  EXPECT_FALSE(WantsColour(false));
  setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(WantsColour(true));
  setenv("NO_COLOR", "", 1);
  EXPECT_TRUE(WantsColour(true));
  setenv("TERM", "dumb", 1);
  EXPECT_FALSE(WantsColour(true));
}

TEST(Report, IsNotPassedWithoutChecks) { EXPECT_FALSE(Report().passed()); }

}  // namespace
}  // namespace lemma::tools::grading
