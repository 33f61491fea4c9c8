// An exercise: one entry of a table. All that the grader knows about it stands in this record.
#ifndef LEMMA_TOOLS_GRADING_EXERCISE_H_
#define LEMMA_TOOLS_GRADING_EXERCISE_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/grading/answer.h"
#include "tools/grading/knobs.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

// Inputs with which the function is called.
struct Probe {
  std::string name = {};
  Values inputs = {};
  std::map<std::string, int64_t> sizes = {};  // "T" and so on, for texts
  // What other languages are given besides the inputs: what a program draws for itself.
  Values for_files = {};
  // Of the distance from the reference, which is relative to the largest element.
  double tolerance = 1e-5;
};

// What a check found out.
struct Finding {
  bool passed = true;
  std::string measured = {};  // "largest |row sum - 1| 1.2e-07 (at most 1e-05)"
  std::string where = {};     // of a failure: "sample 1, query 4"
  std::string problem = {};   // of a failure: a sentence, where the numbers don't say it
};

struct Exercise;

// What a check may look at.
struct Examination {
  const Exercise& exercise;
  const std::vector<Probe>& probes;
  Examinee& examinee;

  const Probe& probe(const std::string& name) const;
  // Throws NoAnswer where there is none.
  Answer Ask(const std::string& probe_name) const;
  // The right outputs, computed in float64.
  Values Expected(const Probe& probe) const;
};

// Thrown by Ask, caught by the judge.
struct NoAnswer {
  Answer answer = {};
};

struct Check {
  std::string id = {};                  // "simplex"
  std::string title = {};               // "Prop. 3.1: the weights of each query sum to 1"
  std::vector<std::string> needs = {};  // checks without which it says nothing
  std::function<Finding(const Examination&)> run = {};
  // Every check fails some known mistake that no other check sees, or says here what else it is
  // good for.
  std::string redundant = "";
  double weight = 1;
};

struct Exercise {
  std::string name = {};    // "causal_attention", also of its folder and files
  std::string title = {};   // a line
  std::string source = {};  // where the course asks for it
  std::string task = {};    // what is to be written, in Markdown
  std::vector<std::string> hints = {};

  // Named, of sizes that differ pairwise where it matters; the first is the ordinary one.
  std::function<std::vector<Probe>(uint64_t seed)> probes;
  // Small ones in rising order, for the smallest case that goes wrong.
  std::function<std::vector<Probe>()> witnesses;
  // Outputs for inputs, in the inputs' float type. Only outputs named here are compared; others
  // ("weights" of a layer that does not return them) are for pictures.
  std::function<Values(const Values& inputs, const Mistakes& mistakes)> reference;
  std::vector<std::string> outputs = {};
  std::vector<Knob> knobs = {};
  // Of inputs that are functions: how they are made of a probe's tensors, for other languages.
  std::string functions = "";

  std::vector<Check> checks = {};
};

// Setting::what with the sizes of the probe, and the number where there is one.
std::string Described(const Setting& setting, const Probe& probe,
                      std::optional<double> number = std::nullopt);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISE_H_
