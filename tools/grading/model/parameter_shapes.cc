#include "tools/grading/model/parameter_shapes.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/format.h"

namespace lemma::tools::grading {
namespace {

constexpr size_t kShown = 12;

std::string Parameters(int64_t count) {
  return absl::StrCat(FormatCount(count), count == 1 ? " parameter" : " parameters");
}

std::string Reshaped(const Shape& given, const Shape& right) {
  const int64_t more = given.numel() - right.numel();
  const std::string shapes = absl::StrCat(" is ", given.ToString(), ", not ", right.ToString());
  if (more == 0) return absl::StrCat(shapes, ": as many parameters");
  return absl::StrCat(shapes, ": ", Parameters(std::abs(more)), more > 0 ? " more" : " fewer");
}

}  // namespace

std::vector<ParameterShape> ShapesOf(const std::vector<nn::NamedTensor>& parameters) {
  std::vector<ParameterShape> shapes;
  for (const nn::NamedTensor& named : parameters) {
    shapes.push_back({named.name, named.value.shape()});
  }
  return shapes;
}

int64_t CountOf(const std::vector<ParameterShape>& parameters) {
  int64_t count = 0;
  for (const ParameterShape& parameter : parameters) count += parameter.shape.numel();
  return count;
}

Finding CompareParameters(const std::vector<ParameterShape>& given,
                          const std::vector<ParameterShape>& right) {
  const int64_t all = CountOf(right);
  std::vector<std::string> differences;
  const auto add = [&](const std::string& name, const std::string& what, int64_t count) {
    const double share = static_cast<double>(std::abs(count));
    differences.push_back(
        absl::StrCat(name, what, count == 0 ? "" : ", ",
                     count == 0 ? "" : FormatPercent(share, static_cast<double>(all))));
  };
  std::map<std::string, const Shape*> left;  // those given that no right one has met
  for (const ParameterShape& parameter : given) left[parameter.name] = &parameter.shape;
  for (const ParameterShape& parameter : right) {
    const int64_t count = parameter.shape.numel();
    const auto found = left.find(parameter.name);
    if (found == left.end()) {
      add(parameter.name,
          absl::StrCat(" ", parameter.shape.ToString(), " is missing: ", Parameters(count)), count);
      continue;
    }
    if (*found->second != parameter.shape) {
      add(parameter.name, Reshaped(*found->second, parameter.shape),
          found->second->numel() - count);
    }
    left.erase(found);
  }
  for (const ParameterShape& parameter : given) {
    if (left.count(parameter.name) == 0) continue;
    const int64_t count = parameter.shape.numel();
    add(parameter.name,
        absl::StrCat(" ", parameter.shape.ToString(), " is one too many: ", Parameters(count)),
        count);
  }
  Finding finding = {.passed = differences.empty(),
                     .measured = absl::StrCat(Parameters(CountOf(given)), " in ", given.size(),
                                              " tensors (exactly ", FormatCount(all), ")")};
  const size_t hidden = differences.size() - std::min(differences.size(), kShown);
  differences.resize(differences.size() - hidden);
  finding.problem = absl::StrJoin(differences, ";\n");
  if (hidden > 0) absl::StrAppend(&finding.problem, ";\nand ", hidden, " tensors more");
  return finding;
}

}  // namespace lemma::tools::grading
