// What is told of a list of measured times.
#ifndef LEMMA_TOOLS_BENCH_STATISTICS_H_
#define LEMMA_TOOLS_BENCH_STATISTICS_H_

#include <vector>

namespace lemma::tools::bench {

// The value below which the share `q` in [0, 1] of the values lies, interpolated between neighbours
// in order: q = 0.5 is the median. 0 of no values.
double Quantile(std::vector<double> values, double q);

double Median(const std::vector<double>& values);

// The distance of the quartiles over the median: 0.02 says that half of all values lie within 2 %
// of it or so. Outliers, as a neighbour on the machine makes them, hardly count. 0 of no values.
double Spread(const std::vector<double>& values);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_STATISTICS_H_
