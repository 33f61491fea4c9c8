// The parameters that a model has beside those that it should have, tensor by tensor.
#ifndef LEMMA_TOOLS_GRADING_MODEL_PARAMETER_SHAPES_H_
#define LEMMA_TOOLS_GRADING_MODEL_PARAMETER_SHAPES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "autograd/shape.h"
#include "nn/module.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

struct ParameterShape {
  std::string name;
  Shape shape;
};

std::vector<ParameterShape> ShapesOf(const std::vector<nn::NamedTensor>& parameters);

int64_t CountOf(const std::vector<ParameterShape>& parameters);

// Passes where names and shapes are the same, in any order. Else each tensor that is missing, one
// too many or of another shape is named on a line of its own, with its shapes and its share of the
// right count.
Finding CompareParameters(const std::vector<ParameterShape>& given,
                          const std::vector<ParameterShape>& right);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_PARAMETER_SHAPES_H_
