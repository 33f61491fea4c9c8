#include "tools/grading/json_report.h"

#include <cmath>

#include "nlohmann/json.hpp"

namespace lemma::tools::grading {
namespace {

using Json = nlohmann::ordered_json;

// JSON has no NaN and no infinity: text, as "nan", "inf", "-inf".
Json Number(double number) {
  if (std::isfinite(number)) return number;
  return std::isnan(number) ? "nan" : number > 0 ? "inf" : "-inf";
}

Json Rows(const Matrix& matrix) {
  Json rows = Json::array();
  for (const std::vector<double>& row : matrix) {
    Json cells = Json::array();
    for (const double cell : row) cells.push_back(Number(cell));
    rows.push_back(std::move(cells));
  }
  return rows;
}

Json CheckJson(const CheckResult& check) {
  Json json = {{"id", check.id},
               {"title", check.title},
               {"verdict", Name(check.verdict)},
               {"weight", check.weight}};
  if (!check.measured.empty()) json["measured"] = check.measured;
  if (!check.where.empty()) json["where"] = check.where;
  if (!check.problem.empty()) json["problem"] = check.problem;
  if (!check.because.empty()) json["because"] = check.because;
  if (check.ending) json["ending"] = Name(*check.ending);
  return json;
}

Json DiagnosisJson(const Diagnosis& diagnosis) {
  Json explanations = Json::array();
  for (const Explanation& explanation : diagnosis.explanations) {
    Json json = {{"mistakes", explanation.mistakes.ids()},
                 {"distance", Number(explanation.distance)},
                 {"sentence", explanation.sentence},
                 {"convention", explanation.convention}};
    if (explanation.mistakes.number()) json["number"] = Number(*explanation.mistakes.number());
    explanations.push_back(std::move(json));
  }
  return {{"text", diagnosis.text}, {"explanations", explanations}};
}

Json WitnessJson(const Witness& witness) {
  Json json = {{"sizes", witness.sizes}, {"inputs", Json::object()}, {"outputs", Json::object()}};
  for (const Panel& panel : witness.inputs) json["inputs"][panel.name] = Rows(panel.right);
  for (const Panel& panel : witness.outputs) {
    json["outputs"][panel.name] = {{"yours", Rows(panel.yours)}, {"right", Rows(panel.right)}};
  }
  if (!witness.problem.empty()) json["problem"] = witness.problem;
  return json;
}

}  // namespace

std::string JsonReport(const Report& report) {
  Json json = {{"version", kJsonVersion},
               {"exercise", report.exercise},
               {"passed", report.passed()},
               {"score", report.Score()},
               {"checks", Json::array()}};
  for (const CheckResult& check : report.checks) json["checks"].push_back(CheckJson(check));
  if (!report.diagnosis.text.empty()) json["diagnosis"] = DiagnosisJson(report.diagnosis);
  if (report.witness) json["witness"] = WitnessJson(*report.witness);
  if (!report.printed.empty()) json["printed"] = report.printed;
  // What a learner's code printed may be no UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace lemma::tools::grading
