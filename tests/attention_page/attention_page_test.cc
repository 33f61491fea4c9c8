// The page that tools:attention writes, in a browser: pointing at a character shows whom it
// attends to.
#include "tools/figures/attention_page.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/create.h"
#include "autograd/random.h"
#include "datasets/char_tokenizer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "models/gpt/gpt.h"
#include "nlohmann/json.hpp"
#include "tests/attention_page/browser.h"
#include "tools/figures/attention_maps.h"
#include "tools/figures/matrix_figure.h"
#include "tools/subprocess.h"

namespace lemma {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string Where(const std::string& name) {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder != nullptr ? folder : "/tmp", "/", name);
}

class AttentionPageInABrowser : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!Browser::IsInstalled()) return;
    absl::StatusOr<std::unique_ptr<Browser>> browser = Browser::Start();
    ASSERT_TRUE(browser.ok()) << browser.status();
    browser_ = std::move(browser)->release();
  }
  static void TearDownTestSuite() {
    delete browser_;
    browser_ = nullptr;
  }
  void SetUp() override {
    if (!Browser::IsInstalled()) GTEST_SKIP() << "chromium is not installed";
    ASSERT_NE(browser_, nullptr);
  }

  void Open(const std::string& path) {
    const absl::Status opened = browser_->Open("file://" + path);
    ASSERT_TRUE(opened.ok()) << opened;
  }

  nlohmann::json Evaluate(const std::string& expression) {
    const absl::StatusOr<nlohmann::json> value = browser_->Evaluate(expression);
    EXPECT_TRUE(value.ok()) << value.status();
    return value.value_or(nlohmann::json());
  }

  // The middle of an element, scrolled to if need be: {x, y}.
  std::vector<double> MiddleOf(const std::string& selector) {
    return Evaluate(absl::StrCat("(() => { const e = document.querySelector('", selector, "');",
                                 "e.scrollIntoView({block: 'nearest', behavior: 'instant'});",
                                 "const r = e.getBoundingClientRect();",
                                 "return [r.left + r.width / 2, r.top + r.height / 2]; })()"));
  }

  void PointAt(int64_t token) {
    const std::vector<double> at = MiddleOf(absl::StrFormat("[data-token=\"%d\"]", token));
    const absl::Status moved = browser_->MoveMouse(at[0], at[1]);
    ASSERT_TRUE(moved.ok()) << moved;
  }

  // What stands below each character and in its title, "" where it is masked.
  std::vector<std::string> WeightsShown() {
    return Evaluate("[...document.querySelectorAll('.token')].map(t => t.dataset.weight)");
  }

  std::string Text(const std::string& selector) {
    return Evaluate(absl::StrCat("document.querySelector('", selector, "').textContent"));
  }

  static Browser* browser_;  // one for all tests, each of which opens a tab
};

Browser* AttentionPageInABrowser::browser_ = nullptr;

tools::MatrixFigure Figure() {
  tools::MatrixFigure figure{.title = "Title", .subtitle = "Subtitle", .labels = {"a", "␣", "b"}};
  figure.columns = 2;
  figure.panels = {
      {.title = "layer 0, head 0", .weights = {1, 0, 0, 0.25f, 0.75f, 0, 0.1f, 0.7f, 0.2f}},
      {.title = "layer 0, head 1", .weights = {1, 0, 0, 0.5f, 0.5f, 0, 0.3f, 0.3f, 0.4f}}};
  return figure;
}

std::string WritePage(const tools::MatrixFigure& figure, const std::string& name) {
  const std::string path = Where(name);
  std::ofstream(path) << tools::AttentionPage(figure).value();
  return path;
}

TEST_F(AttentionPageInABrowser, PointingShowsWeightsAndHeadsAreChosen) {
  Open(WritePage(Figure(), "page.html"));
  PointAt(1);
  EXPECT_EQ(WeightsShown(), (std::vector<std::string>{"0.2500", "0.7500", ""}));
  EXPECT_EQ(Text("[data-token=\"1\"] i"), ".75");
  EXPECT_EQ(Text("#summary"),
            "layer 0, head 0: “␣” at 1 attends most to “␣” at 1, with weight 0.750");
  EXPECT_EQ(Text("#weights"), "␣10.7500a00.2500");
  PointAt(2);
  EXPECT_EQ(WeightsShown(), (std::vector<std::string>{"0.1000", "0.7000", "0.2000"}));

  const std::vector<double> head = MiddleOf("[data-panel=\"1\"]");
  ASSERT_TRUE(browser_->Click(head[0], head[1]).ok());
  EXPECT_EQ(WeightsShown(), (std::vector<std::string>{"0.3000", "0.3000", "0.4000"}));
  EXPECT_EQ(Text("[data-panel=\"1\"] .best"), "→ “b” at 2: .40");

  const std::vector<double> column = MiddleOf("[value=column]");
  ASSERT_TRUE(browser_->Click(column[0], column[1]).ok());
  PointAt(0);
  EXPECT_EQ(WeightsShown(), (std::vector<std::string>{"1.0000", "0.5000", "0.3000"}));
  EXPECT_THAT(browser_->problems(), IsEmpty());
}

TEST_F(AttentionPageInABrowser, KeysWalkAndAClickHolds) {
  Open(WritePage(Figure(), "keys.html"));
  const std::vector<double> first = MiddleOf("[data-token=\"0\"]");
  ASSERT_TRUE(browser_->Click(first[0], first[1]).ok());
  PointAt(2);
  EXPECT_EQ(WeightsShown()[2], "") << "the click holds the first character";
  ASSERT_TRUE(browser_->PressKey("ArrowRight").ok());
  EXPECT_EQ(WeightsShown(), (std::vector<std::string>{"0.2500", "0.7500", ""}));
  ASSERT_TRUE(browser_->PressKey("End").ok());
  EXPECT_EQ(WeightsShown()[2], "0.2000");
  EXPECT_EQ(Evaluate("document.activeElement.dataset.token"), "2");
  EXPECT_THAT(browser_->problems(), IsEmpty());
}

TEST_F(AttentionPageInABrowser, TextsAreShownAndNeverRun) {
  const std::string attack = "</script><script>window.hit = 1</script><img src=x onerror=hit=1>";
  tools::MatrixFigure figure = Figure();
  figure.title = figure.subtitle = figure.panels[0].title = figure.panels[0].note = attack;
  figure.labels = {"<", "\"", attack};
  Open(WritePage(figure, "attack.html"));
  PointAt(2);
  EXPECT_EQ(Text("h1"), attack);
  EXPECT_EQ(Text("[data-token=\"2\"] b"), attack);
  EXPECT_EQ(Evaluate("typeof window.hit"), "undefined");
  EXPECT_THAT(browser_->problems(), IsEmpty());
}

// The whole way: the program writes the page of an untrained model, and every weight that pointing
// brings up is the model's.
TEST_F(AttentionPageInABrowser, TheProgramsPageShowsTheModelsWeights) {
  const std::string text = "To be, or not to be", path = Where("model.html");
  const absl::StatusOr<tools::ProcessResult> run =
      tools::RunProgram({"tools/attention", "--preset=course", "--init_seed=0", "--scores",
                         "--text=" + text, "--out=" + path},
                        "");
  ASSERT_TRUE(run.ok()) << run.status();
  ASSERT_EQ(run->exit_status, 0) << run->errors;
  Open(path);

  Generator generator(0);
  models::Gpt model(*models::GptConfig::Preset("course"), generator);
  const std::vector<int64_t> tokens = datasets::CharTokenizer::Course().Encode(text).value();
  const auto size = static_cast<int64_t>(tokens.size());
  const std::vector<float> weights =
      tools::ObserveAttention(model, FromVector(tokens, {1, size}))[0].ToVector<float>();
  for (const int64_t i : {0, 4, 18}) {
    PointAt(i);
    const std::vector<std::string> shown = WeightsShown();
    ASSERT_EQ(static_cast<int64_t>(shown.size()), size);
    for (int64_t j = 0; j < size; ++j) {
      const double expected = weights[i * size + j];  // 0 in the future
      EXPECT_EQ(shown[j].empty(), j > i);
      EXPECT_NEAR(shown[j].empty() ? 0 : std::stod(shown[j]), expected, 6e-5);
    }
  }
  EXPECT_EQ(Evaluate("document.querySelectorAll('.head').length"), 16);
  EXPECT_THAT(Text("[data-panel=\"5\"]"), HasSubstr("layer 1, head 1"));
  EXPECT_THAT(Text("[data-panel=\"5\"]"), HasSubstr("prev 0."));
  EXPECT_THAT(browser_->problems(), IsEmpty());
}

}  // namespace
}  // namespace lemma
