#include "tools/grading/exercise.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "autograd/error.h"

namespace lemma::tools::grading {

const Probe& Examination::probe(const std::string& name) const {
  for (const Probe& probe : probes) {
    if (probe.name == name) return probe;
  }
  Fail("grading", exercise.name, " has no probe named ", name);
}

Answer Examination::Ask(const std::string& probe_name) const {
  Answer answer = examinee.Ask(probe(probe_name));
  if (!answer.ok()) throw NoAnswer{answer};
  return answer;
}

Values Examination::Expected(const Probe& probe) const {
  return exercise.reference(InDouble(probe.inputs), {});
}

std::string Described(const Setting& setting, const Probe& probe, std::optional<double> number) {
  std::string text = setting.what;
  for (const auto& [name, size] : probe.sizes) {
    text = absl::StrReplaceAll(text, {{absl::StrCat("{", name, "}"), absl::StrCat(size)}});
  }
  return absl::StrReplaceAll(
      text, {{"{number}", number ? absl::StrFormat("%.4g", *number) : "another number"}});
}

}  // namespace lemma::tools::grading
