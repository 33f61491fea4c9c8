// What propositions measure on tensors. All is computed in double, from elements of any float type.
// NaN is passed on, so that no bound holds for it.
#ifndef LEMMA_TESTS_PROPOSITIONS_MEASURE_H_
#define LEMMA_TESTS_PROPOSITIONS_MEASURE_H_

#include <cstdint>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/tensor.h"

namespace lemma::propositions {

// Half the distance from 1 to the next number: the largest relative error of one rounding. 2^-24 of
// float32, 2^-53 of float64.
double Roundoff(DType dtype);

// All elements in row-major order.
std::vector<double> Doubles(const Tensor& x);

double Smallest(const Tensor& x);
double Largest(const Tensor& x);
double LargestMagnitude(const Tensor& x);
// sqrt(sum x^2).
double EuclideanNorm(const Tensor& x);
// Of a and b, which have one shape.
double LargestDifference(const Tensor& a, const Tensor& b);

// The larger and the smaller of both, NaN where one is, which std::max and std::min would drop.
double LargerOf(double a, double b);
double SmallerOf(double a, double b);

// How many elements are not 0; NaN is not, and -0 is.
int64_t CountNonZero(const Tensor& x);
// How many elements of a differ from b's in a bit. Both have one shape and dtype.
int64_t CountDifferentBits(const Tensor& a, const Tensor& b);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_MEASURE_H_
