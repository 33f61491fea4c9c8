// A check of a whole model, and what it may look at. The checks of exercises are in
// tools/grading/exercise.h.
#ifndef LEMMA_TOOLS_GRADING_MODEL_MODEL_CHECK_H_
#define LEMMA_TOOLS_GRADING_MODEL_MODEL_CHECK_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/grading/exercise.h"
#include "tools/grading/model/judged_model.h"
#include "tools/grading/model/parameter_shapes.h"

namespace lemma::tools::grading {

struct ModelSubject {
  std::string name = "model";  // heads the report
  // Null where the parameters that are given make no model; then only they are judged.
  JudgedModel* model = nullptr;
  std::vector<ParameterShape> given = {};
  std::vector<ParameterShape> right = {};
  // What is not as it should be and no shape shows: "its config has 4 heads where 8 are right".
  std::vector<std::string> other_differences = {};
  // The values are initial ones, so that the model's own loss is the initial loss.
  bool untrained = false;
};

struct ModelExamination {
  const ModelSubject& subject;
  JudgedModel& model;
  uint64_t seed = 1;
  // Told what is being done: "gradient of 3 of 54 parameters".
  std::function<void(const std::string&)> status = [](const std::string&) {};
};

struct ModelCheck {
  std::string id = {};
  std::string title = {};
  std::vector<std::string> needs = {};  // checks without which it says nothing
  std::function<Finding(const ModelExamination&)> run = {};
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_MODEL_CHECK_H_
