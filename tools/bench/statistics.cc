#include "tools/bench/statistics.h"

#include <algorithm>
#include <cstddef>

namespace lemma::tools::bench {

double Quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const size_t below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double Median(const std::vector<double>& values) { return Quantile(values, 0.5); }

double Spread(const std::vector<double>& values) {
  const double median = Median(values);
  return median > 0 ? (Quantile(values, 0.75) - Quantile(values, 0.25)) / median : 0;
}

}  // namespace lemma::tools::bench
