// How far two results are apart, and where.
#ifndef LEMMA_TOOLS_GRADING_COMPARE_H_
#define LEMMA_TOOLS_GRADING_COMPARE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/tensor.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

struct Distance {
  double relative =
      0;  // largest difference over the largest finite magnitude expected, at least 1e-3
  std::string output;   // in which output
  int64_t element = 0;  // the first element with the largest difference
  std::string where;    // "out[0, 4, 2]"
};

// Of the named outputs. Equal infinities and NaN against NaN are no difference; one of them against
// anything else is an infinite one, as are a missing output and another shape.
Distance Compare(const Values& got, const Values& expected,
                 const std::vector<std::string>& outputs);

// "[0, 4, 2]" of element number 18 in row-major order.
std::string PlaceOf(int64_t element, const Shape& shape);

// All elements in double, row-major.
std::vector<double> Doubles(const Tensor& x);

// How many elements of a and b, of one shape and dtype, differ in a bit, and the first such.
struct BitDifference {
  int64_t count = 0;
  int64_t first = 0;
};
BitDifference CompareBits(const Tensor& a, const Tensor& b);

// "3.1e-07", "0", "12.25".
std::string Short(double number);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_COMPARE_H_
