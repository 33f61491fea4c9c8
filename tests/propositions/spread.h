// Mean and spread of numbers, such as the losses of many seeds.
#ifndef LEMMA_TESTS_PROPOSITIONS_SPREAD_H_
#define LEMMA_TESTS_PROPOSITIONS_SPREAD_H_

#include "absl/types/span.h"

namespace lemma::propositions {

struct Spread {
  double mean = 0;
  double deviation = 0;       // standard deviation of the numbers, with n - 1
  double standard_error = 0;  // that of their mean, if they are independent
  double smallest = 0;
  double largest = 0;
};

// Of at least two numbers. One that is NaN makes mean, smallest and largest NaN.
Spread SpreadOf(absl::Span<const double> numbers);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_SPREAD_H_
