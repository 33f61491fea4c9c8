// Pictures of bars, one below the other, each with its name on the left and its number at its end.
//
//   BarChart chart;
//   chart.title = "causal_attention: 3 of 12 passed";
//   chart.bars = {{"passed", "", 3, BarColour::kGood}, {"mask/after", "masks after ...", 5}};
//   absl::Status status = DrawBarChart(chart, "class.svg");
//
// Names are shown as they are: nothing in them is a command. Without gnuplot DrawBarChart returns
// kNotFound with the name of the package to install.
#ifndef LEMMA_TOOLS_BAR_CHART_H_
#define LEMMA_TOOLS_BAR_CHART_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/gnuplot.h"

namespace lemma::tools {

enum class BarColour { kPlain, kGood, kPale };

struct Bar {
  std::string name = "";
  std::string detail = "";  // below the name, smaller; cut where it is too long
  int64_t count = 0;
  BarColour colour = BarColour::kPlain;
};

struct BarChart {
  std::string title = "";
  std::vector<Bar> bars = {};  // from above
};

// The gnuplot program that DrawBarChart runs. kFailedPrecondition where there are no bars.
absl::StatusOr<std::string> GnuplotScript(const BarChart& chart, ImageFormat format);

// Draws into `path`, which ends in .svg or .png, and is replaced atomically. `keep` keeps the
// program too (gnuplot.h).
absl::Status DrawBarChart(const BarChart& chart, const std::string& path, bool keep = false);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_BAR_CHART_H_
