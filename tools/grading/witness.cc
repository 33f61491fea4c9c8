#include "tools/grading/witness.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "tools/grading/compare.h"

namespace lemma::tools::grading {
namespace {

Matrix FirstMatrix(const Tensor& x) {
  const std::vector<double> values = Doubles(x);
  const int64_t columns = x.rank() == 0 ? 1 : x.size(-1);
  const int64_t rows = x.rank() < 2 ? 1 : x.size(-2);
  Matrix matrix;
  for (int64_t i = 0; i < rows && (i + 1) * columns <= x.numel(); ++i) {
    matrix.emplace_back(values.begin() + i * columns, values.begin() + (i + 1) * columns);
  }
  return matrix;
}

std::string SizesText(const Probe& probe) {
  return absl::StrJoin(probe.sizes, ", ", absl::PairFormatter("="));
}

bool Near(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b)) ||
         std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b));
}

bool Differs(const Panel& panel, size_t row, size_t column) {
  return row >= panel.yours.size() || column >= panel.yours[row].size() ||
         row >= panel.right.size() || column >= panel.right[row].size() ||
         !Near(panel.yours[row][column], panel.right[row][column]);
}

std::string Cell(double value, bool marked) {
  return absl::StrFormat("%9s%c", absl::StrFormat("%.4g", value), marked ? '*' : ' ');
}

std::string Row(const Matrix& matrix, size_t row, const Panel* marks) {
  std::string text;
  if (row >= matrix.size()) return text;
  for (size_t j = 0; j < matrix[row].size(); ++j) {
    text += Cell(matrix[row][j], marks != nullptr && Differs(*marks, row, j));
  }
  return text;
}

size_t Width(const Matrix& matrix) { return matrix.empty() ? 0 : 10 * matrix[0].size(); }

Witness MakeWitness(const Exercise& exercise, const Probe& probe, const Answer& answer,
                    const Values& expected) {
  Witness witness = {.sizes = SizesText(probe)};
  for (const auto& [name, tensor] : probe.inputs) {
    witness.inputs.push_back({name, {}, FirstMatrix(tensor)});
  }
  if (!answer.ok()) witness.problem = answer.text;
  for (const std::string& name : exercise.outputs) {
    const Tensor* got = answer.outputs.Find(name);
    witness.outputs.push_back(
        {name, got == nullptr ? Matrix() : FirstMatrix(*got), FirstMatrix(expected[name])});
  }
  return witness;
}

}  // namespace

std::optional<Witness> FindWitness(const Exercise& exercise, Examinee& examinee) {
  if (!exercise.witnesses || !examinee.AnswersAnything()) return std::nullopt;
  examinee.Renew();
  for (const Probe& probe : exercise.witnesses()) {
    const Answer answer = examinee.Ask(probe);
    const Values expected = exercise.reference(InDouble(probe.inputs), {});
    if (answer.ok() &&
        Compare(answer.outputs, expected, exercise.outputs).relative <= probe.tolerance) {
      continue;
    }
    return MakeWitness(exercise, probe, answer, expected);
  }
  return std::nullopt;
}

std::string WitnessText(const Witness& witness) {
  std::string text = absl::StrCat(witness.sizes, "\n");
  for (const Panel& input : witness.inputs) {
    for (size_t i = 0; i < input.right.size(); ++i) {
      absl::StrAppend(&text, absl::StrFormat("%-9s", i == 0 ? input.name + " =" : ""),
                      Row(input.right, i, nullptr), "\n");
    }
  }
  if (!witness.problem.empty()) return absl::StrCat(text, witness.problem, "\n");
  for (const Panel& output : witness.outputs) {
    const size_t width = std::max<size_t>(Width(output.yours), 6) + 4;
    absl::StrAppend(&text, absl::StrFormat("\n%-9s%-*s%s\n", output.name, static_cast<int>(width),
                                           "yours", "right"));
    for (size_t i = 0; i < std::max(output.yours.size(), output.right.size()); ++i) {
      absl::StrAppend(
          &text, absl::StrFormat("%9s%-*s%s\n", "", static_cast<int>(width),
                                 Row(output.yours, i, &output), Row(output.right, i, nullptr)));
    }
  }
  return text;
}

}  // namespace lemma::tools::grading
