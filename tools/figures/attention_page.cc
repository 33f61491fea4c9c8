#include "tools/figures/attention_page.h"

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"

namespace lemma::tools {
namespace {

// attention_page.html as a string constant, which the BUILD file makes of it.
constexpr absl::string_view kPage =
#include "tools/figures/attention_page.inc"
    ;

constexpr int64_t kMostWeights = 4'000'000;

// Row i up to its last entry that is not masked, in units of 1/10000.
std::vector<int64_t> RowOf(const MatrixFigure& figure, const Panel& panel, int64_t i) {
  std::vector<int64_t> row;
  for (int64_t j = 0; j < figure.size(); ++j) {
    row.push_back(std::llround(1e4 * panel.weights[i * figure.size() + j]));
  }
  while (static_cast<int64_t>(row.size()) > i + 1 &&
         IsMasked(figure, panel, i, static_cast<int64_t>(row.size()) - 1)) {
    row.pop_back();
  }
  return row;
}

// JSON that can stand in a script element: without <, nothing in it ends the element.
std::string DataOf(const MatrixFigure& figure) {
  nlohmann::json panels = nlohmann::json::array();
  for (const Panel& panel : figure.panels) {
    nlohmann::json rows = nlohmann::json::array();
    for (int64_t i = 0; i < figure.size(); ++i) rows.push_back(RowOf(figure, panel, i));
    panels.push_back({{"title", panel.title}, {"note", panel.note}, {"rows", std::move(rows)}});
  }
  const nlohmann::json data = {{"title", figure.title},
                               {"subtitle", figure.subtitle},
                               {"columns", figure.columns},
                               {"labels", figure.labels},
                               {"panels", std::move(panels)}};
  const std::string json =
      data.dump(-1, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
  return absl::StrReplaceAll(json, {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}});
}

std::string EscapeHtml(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}, {"'", "&#39;"}});
}

}  // namespace

absl::StatusOr<std::string> AttentionPage(const MatrixFigure& figure) {
  if (absl::Status valid = Validate(figure); !valid.ok()) return valid;
  const int64_t weights =
      static_cast<int64_t>(figure.panels.size()) * figure.size() * figure.size();
  if (weights > kMostWeights) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a page of ", figure.panels.size(), " matrices of ", figure.size(), " x ", figure.size(),
        " is more than a browser shows; choose a shorter text, or fewer by --layer and --head"));
  }
  return absl::StrReplaceAll(kPage,
                             {{"@TITLE@", EscapeHtml(figure.title)}, {"@DATA@", DataOf(figure)}});
}

}  // namespace lemma::tools
