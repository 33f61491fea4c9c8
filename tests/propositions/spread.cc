#include "tests/propositions/spread.h"

#include <cmath>

#include "autograd/error.h"
#include "tests/propositions/measure.h"

namespace lemma::propositions {

Spread SpreadOf(absl::Span<const double> numbers) {
  LEMMA_CHECK(numbers.size() >= 2);
  const double n = static_cast<double>(numbers.size());
  Spread spread{.smallest = INFINITY, .largest = -INFINITY};
  for (double x : numbers) {
    spread.mean += x / n;
    spread.smallest = -LargerOf(-spread.smallest, -x);
    spread.largest = LargerOf(spread.largest, x);
  }
  double squares = 0;
  for (double x : numbers) squares += (x - spread.mean) * (x - spread.mean);
  spread.deviation = std::sqrt(squares / (n - 1));
  spread.standard_error = spread.deviation / std::sqrt(n);
  return spread;
}

}  // namespace lemma::propositions
