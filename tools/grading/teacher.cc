#include "tools/grading/teacher.h"

#include <algorithm>
#include <cmath>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"

namespace lemma::tools::grading {
namespace {

using Json = nlohmann::json;

absl::Status Refuse(const std::string& what) { return absl::InvalidArgumentError(what); }

absl::Status ReadWeights(const Json& json, Teacher& teacher) {
  if (!json.is_object()) return Refuse("weights must map exercises to checks and numbers");
  for (const auto& [exercise, checks] : json.items()) {
    if (!checks.is_object()) return Refuse(absl::StrCat("weights of ", exercise, " must be a map"));
    for (const auto& [check, weight] : checks.items()) {
      if (!weight.is_number() || !(weight.get<double>() >= 0) ||
          !std::isfinite(weight.get<double>())) {
        return Refuse(absl::StrCat("the weight of ", check, " must be a number from 0 on"));
      }
      teacher.weights[exercise][check] = weight.get<double>();
    }
  }
  return absl::OkStatus();
}

absl::Status ReadEntry(const std::string& name, const Json& value, Teacher& teacher) {
  if (name == "detail") {
    const auto detail = value.is_string() ? DetailFromName(value.get<std::string>()) : std::nullopt;
    if (!detail) return Refuse("detail must be verdict, where, why or diff");
    teacher.detail = *detail;
    return absl::OkStatus();
  }
  if (name == "hints" || name == "seed") {
    if (!value.is_number_unsigned()) {
      return Refuse(absl::StrCat(name, " must be a whole number from 0 on"));
    }
    if (name == "seed") teacher.seed = value.get<uint64_t>();
    if (name == "hints")
      teacher.hints = static_cast<int64_t>(std::min<uint64_t>(value.get<uint64_t>(), 1000));
    return absl::OkStatus();
  }
  if (name == "weights") return ReadWeights(value, teacher);
  return Refuse(absl::StrCat("there is no setting ", name, " (detail, hints, seed, weights)"));
}

}  // namespace

absl::StatusOr<Teacher> ParseTeacher(const std::string& text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Refuse("it is not a JSON object");
  Teacher teacher;
  for (const auto& [name, value] : json.items()) {
    if (absl::Status read = ReadEntry(name, value, teacher); !read.ok()) return read;
  }
  return teacher;
}

}  // namespace lemma::tools::grading
