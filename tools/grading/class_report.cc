#include "tools/grading/class_report.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "tools/grading/knobs.h"

namespace lemma::tools::grading {
namespace {

using Json = nlohmann::json;

constexpr size_t kLongestBar = 24;

std::string FirstFailed(const ClassRow& row, const Exercise& exercise) {
  for (const Check& check : exercise.checks) {
    const auto verdict = row.verdicts.find(check.id);
    if (verdict != row.verdicts.end() && verdict->second == "failed") return check.id;
  }
  return "";
}

// A line about mistakes that have one. Numbers differ from student to student and are left out.
std::string What(const Exercise& exercise, const std::vector<std::string>& mistakes) {
  std::vector<std::string> sentences;
  for (const std::string& id : mistakes) {
    const Setting* setting = FindSetting(exercise.knobs, id);
    if (setting != nullptr) sentences.push_back(Described(*setting, exercise.probes(1)[0]));
  }
  return absl::StrJoin(sentences, ", and ");
}

Outcome OutcomeOf(const Exercise& exercise, const ClassRow& row) {
  if (!row.problem.empty()) {
    const bool builds = !absl::StartsWith(row.problem, "it does not build");
    return {builds ? "could not be graded" : "does not build", "", 1, Outcome::Kind::kNotGraded};
  }
  if (row.passed()) return {"passed", "", 1, Outcome::Kind::kPassed};
  if (!row.mistakes.empty()) {
    return {absl::StrJoin(row.mistakes, " + "), What(exercise, row.mistakes), 1};
  }
  const std::string check = FirstFailed(row, exercise);
  if (!row.ending.empty()) return {absl::StrCat(row.ending, " in ", check), "", 1};
  return {absl::StrCat("no known mistake, fails ", check), "", 1};
}

// A cell that no spreadsheet takes for a formula, whatever a student is called.
std::string Quoted(std::string text) {
  if (!text.empty() && absl::StrContains("=+-@\t\r", text.substr(0, 1))) text = "'" + text;
  return absl::StrCat("\"", absl::StrReplaceAll(text, {{"\"", "\"\""}}), "\"");
}

// Control characters would move the cursor.
std::string Harmless(std::string text) {
  for (char& c : text) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = '?';
  }
  return text;
}

}  // namespace

size_t ClassRow::passed_checks() const {
  return static_cast<size_t>(
      std::count_if(verdicts.begin(), verdicts.end(),
                    [](const auto& verdict) { return verdict.second == "passed"; }));
}

bool ClassRow::passed() const {
  return problem.empty() && !verdicts.empty() && passed_checks() == verdicts.size();
}

absl::StatusOr<ClassRow> RowFromJson(const std::string& student, const std::string& json) {
  try {
    const Json report = Json::parse(json);
    ClassRow row = {.student = student, .score = report.at("score").get<double>()};
    for (const Json& check : report.at("checks")) {
      row.verdicts[check.at("id").get<std::string>()] = check.at("verdict").get<std::string>();
      if (row.ending.empty()) row.ending = check.value("ending", "");
    }
    if (!report.contains("diagnosis")) return row;
    row.sentence = report["diagnosis"].value("text", "");
    const Json& explanations = report["diagnosis"].at("explanations");
    if (!explanations.empty()) {
      row.mistakes = explanations[0].at("mistakes").get<std::vector<std::string>>();
    }
    return row;
  } catch (const Json::exception& error) {
    return absl::InternalError(absl::StrCat("its report cannot be read: ", error.what()));
  }
}

std::string ClassCsv(const Exercise& exercise, const std::vector<ClassRow>& rows) {
  std::string csv = "student,file,score,passed,checks,mistakes,ending,what,problem";
  for (const Check& check : exercise.checks) absl::StrAppend(&csv, ",", check.id);
  csv += "\n";
  for (const ClassRow& row : rows) {
    absl::StrAppend(&csv, Quoted(row.student), ",", Quoted(row.file), ",",
                    absl::StrFormat("%.3f", row.score), ",", row.passed_checks(), ",",
                    row.verdicts.size(), ",", Quoted(absl::StrJoin(row.mistakes, " + ")), ",",
                    row.ending, ",", Quoted(row.sentence), ",", Quoted(row.problem));
    for (const Check& check : exercise.checks) {
      const auto verdict = row.verdicts.find(check.id);
      absl::StrAppend(&csv, ",", verdict == row.verdicts.end() ? "" : verdict->second);
    }
    csv += "\n";
  }
  return csv;
}

std::vector<Outcome> OutcomesOf(const Exercise& exercise, const std::vector<ClassRow>& rows) {
  std::map<std::pair<Outcome::Kind, std::string>, Outcome> by_name;
  for (const ClassRow& row : rows) {
    const Outcome outcome = OutcomeOf(exercise, row);
    const auto [entry, is_new] = by_name.try_emplace({outcome.kind, outcome.name}, outcome);
    if (!is_new) ++entry->second.count;
  }
  std::vector<Outcome> outcomes;
  for (const auto& [name, outcome] : by_name) outcomes.push_back(outcome);
  std::stable_sort(outcomes.begin(), outcomes.end(), [](const Outcome& a, const Outcome& b) {
    return a.kind != b.kind ? a.kind < b.kind : a.count > b.count;
  });
  return outcomes;
}

std::string ClassTitle(const Exercise& exercise, const std::vector<ClassRow>& rows) {
  size_t of_kind[3] = {};
  for (const Outcome& outcome : OutcomesOf(exercise, rows)) {
    of_kind[static_cast<int>(outcome.kind)] += outcome.count;
  }
  std::string title = absl::StrCat(exercise.name, ": ", of_kind[0], " of ", rows.size(), " passed");
  if (of_kind[1] > 0) absl::StrAppend(&title, ", ", of_kind[1], " failed");
  if (of_kind[2] > 0) absl::StrAppend(&title, ", ", of_kind[2], " could not be graded");
  return title;
}

std::string ClassSummary(const Exercise& exercise, const std::vector<ClassRow>& rows) {
  const std::vector<Outcome> outcomes = OutcomesOf(exercise, rows);
  size_t most = 1;
  for (const Outcome& outcome : outcomes) most = std::max(most, outcome.count);
  std::string text = absl::StrCat(ClassTitle(exercise, rows), "\n");
  for (const Outcome& outcome : outcomes) {
    const size_t length = std::max<size_t>(1, kLongestBar * outcome.count / most);
    absl::StrAppendFormat(&text, "%4d  %-24s  %s\n", outcome.count, std::string(length, '#'),
                          outcome.name);
    if (!outcome.detail.empty()) absl::StrAppendFormat(&text, "%32s%s\n", "", outcome.detail);
  }
  bool any = false;
  for (const ClassRow& row : rows) {
    if (row.problem.empty()) continue;
    absl::StrAppend(&text, any ? "" : "\nnot graded\n", "  ", Harmless(row.student), ": ",
                    Harmless(row.problem), "\n");
    any = true;
  }
  return text;
}

}  // namespace lemma::tools::grading
