#include "tools/figures/attention_page.h"

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tools/figures/matrix_figure.h"

namespace lemma::tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MatrixFigure Figure() {
  MatrixFigure figure{.title = "Title", .subtitle = "Subtitle", .labels = {"a", "↵"}};
  figure.panels = {{.title = "layer 0, head 0", .weights = {1, 0, 0.12346f, 0.87654f}}};
  return figure;
}

// The JSON in the page.
nlohmann::json DataOf(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"data\">";
  const size_t begin = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(AttentionPage, HoldsTheFigure) {
  const std::string page = AttentionPage(Figure()).value();
  EXPECT_THAT(page, HasSubstr("<title>Title</title>"));
  const nlohmann::json data = DataOf(page);
  EXPECT_EQ(data.at("labels").at(1), "↵");
  EXPECT_EQ(data.at("panels").at(0).at("title"), "layer 0, head 0");
  // Rows end with the mask; a weight is in units of 1/10000.
  EXPECT_EQ(data.at("panels").at(0).at("rows"), nlohmann::json({{10000}, {1235, 8765}}));
  EXPECT_THAT(page, Not(HasSubstr("@DATA@")));
}

TEST(AttentionPage, ALeakIsInThePage) {
  MatrixFigure figure = Figure();
  figure.panels[0].weights = {0.5f, 0.5f, 0, 1};
  EXPECT_EQ(DataOf(AttentionPage(figure).value()).at("panels").at(0).at("rows"),
            nlohmann::json({{5000, 5000}, {0, 10000}}));
}

TEST(AttentionPage, LoadsNothingFromAnywhere) {
  const std::string page = AttentionPage(Figure()).value();
  for (const char* outside : {"http:", "https:", " src=", "@import", "url(", "<link"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside)));
  }
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
}

TEST(AttentionPage, NothingInATextIsMarkup) {
  MatrixFigure figure = Figure();
  figure.title = "</title><script>alert(1)</script>@DATA@";
  figure.subtitle = "</script><!-- <script> \u2028 \xff";
  figure.labels = {"<", "&"};
  figure.panels[0].title = "\"'><img onerror=alert(1)>";
  const std::string page = AttentionPage(figure).value();
  EXPECT_THAT(page, Not(HasSubstr("alert(1)</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<img")));
  EXPECT_THAT(page, HasSubstr("<title>&lt;/title&gt;&lt;script&gt;"));
  const nlohmann::json data = DataOf(page);
  EXPECT_EQ(data.at("title"), figure.title);
  EXPECT_EQ(data.at("labels").at(0), "<");
  EXPECT_EQ(data.at("panels").at(0).at("title"), figure.panels[0].title);
}

TEST(AttentionPage, RefusesMoreThanABrowserShows) {
  MatrixFigure figure = Figure();
  figure.labels = PositionLabels(1001);
  figure.panels.assign(4, {.title = "p", .weights = std::vector<float>(1001 * 1001, 0)});
  EXPECT_THAT(AttentionPage(figure).status().message(), HasSubstr("more than a browser shows"));
}

}  // namespace
}  // namespace lemma::tools
