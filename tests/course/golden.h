// Golden values of the course's models, made with PyTorch: tests/testdata/course_*.json.
#ifndef LEMMA_TESTS_COURSE_GOLDEN_H_
#define LEMMA_TESTS_COURSE_GOLDEN_H_

#include <string>

#include "autograd/tensor.h"
#include "nlohmann/json.hpp"

namespace lemma {

// The file tests/testdata/NAME. A missing or broken one ends the test.
nlohmann::json ReadTestData(const std::string& name);

// The sha256 of a float32 tensor's bytes in row-major order, in hexadecimal digits.
std::string Sha256Of(const Tensor& x);

// How far x is from a golden record (first and last four entries, sum, sum of squares), as a part
// of its largest entry.
double Distance(const Tensor& x, const nlohmann::json& golden);

// tokens and targets (1, 64): the first 65 characters of tiny Shakespeare.
struct CourseBatch {
  Tensor tokens;
  Tensor targets;
};
CourseBatch FirstBatch();

}  // namespace lemma

#endif  // LEMMA_TESTS_COURSE_GOLDEN_H_
