#include "tools/grading/prove.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/grading/child_main.h"
#include "tools/grading/judge.h"
#include "tools/grading/process_examinee.h"
#include "tools/grading/specimen.h"

namespace lemma::tools::grading {
namespace {

constexpr size_t kCorrectNeeded = 3;

Report Grade(const Exercise& exercise, const std::string& program, const std::string& child) {
  ProcessExaminee examinee({program, {ChildArgument(child)}}, Renewal::kThrifty);
  return Judge(exercise, examinee, {.all_checks = true, .witness = false});
}

bool Explains(const Explanation& explanation, const std::vector<std::string>& expected) {
  const std::vector<std::string>& ids = explanation.mistakes.ids();
  return ids.size() == expected.size() &&
         std::is_permutation(ids.begin(), ids.end(), expected.begin());
}

ProvedSpecimen Examine(const std::string& name, const std::vector<std::string>& expected,
                       const Report& report) {
  ProvedSpecimen proved = {.name = name, .expected = expected};
  for (const CheckResult& check : report.checks) {
    if (check.verdict != Verdict::kPassed) proved.failed_checks.insert(check.id);
  }
  const std::vector<Explanation>& explanations = report.diagnosis.explanations;
  proved.named = std::any_of(explanations.begin(), explanations.end(),
                             [&](const Explanation& e) { return Explains(e, expected); });
  if (proved.named) proved.group = explanations.size() - 1;
  // Named by a check alone, which then must not be hidden behind a wrong diagnosis.
  if (expected.size() == 1 && explanations.empty() &&
      proved.failed_checks.count(expected[0]) != 0) {
    proved.named = true;
  }
  proved.diagnosis = report.diagnosis.text;
  return proved;
}

// The mistakes that this check alone fails.
std::vector<std::string> OwnKills(const Check& check, const Proof& proof) {
  std::vector<std::string> own;
  for (const ProvedSpecimen& specimen : proof.mistaken) {
    if (specimen.failed_checks == std::set<std::string>{check.id}) own.push_back(specimen.name);
  }
  return own;
}

// What this check was meant for, and what else fails it.
std::string Candidates(const Check& check, const Proof& proof) {
  std::string text;
  for (const ProvedSpecimen& specimen : proof.mistaken) {
    if (specimen.expected != std::vector<std::string>{check.id}) continue;
    absl::StrAppend(&text, "; ", specimen.name, " fails ",
                    absl::StrJoin(specimen.failed_checks, ", "));
  }
  return text;
}

void FindFaults(const Exercise& exercise, Proof& proof) {
  const auto fault = [&](const auto&... pieces) {
    proof.faults.push_back(absl::StrCat(exercise.name, ": ", pieces...));
  };
  if (proof.correct.size() < kCorrectNeeded) fault("fewer than three correct solutions");
  for (const ProvedSpecimen& specimen : proof.correct) {
    if (specimen.failed_checks.empty()) continue;
    fault("the correct solution ", specimen.name, " fails ",
          absl::StrJoin(specimen.failed_checks, ", "), ". ", specimen.diagnosis);
  }
  for (const ProvedSpecimen& specimen : proof.mistaken) {
    if (specimen.failed_checks.empty()) fault(specimen.name, " passes");
    if (!specimen.named) {
      fault(specimen.name, " is not named ", absl::StrJoin(specimen.expected, " + "), ". ",
            specimen.diagnosis);
    }
  }
  for (const Check& check : exercise.checks) {
    const bool needed = !OwnKills(check, proof).empty();
    if (!needed && check.redundant.empty()) {
      fault("the check ", check.id, " fails nothing that no other check fails",
            Candidates(check, proof));
    }
    if (needed && !check.redundant.empty()) {
      fault("the check ", check.id, " is declared redundant and is not");
    }
  }
}

}  // namespace

size_t Proof::named() const {
  return static_cast<size_t>(std::count_if(mistaken.begin(), mistaken.end(),
                                           [](const ProvedSpecimen& s) { return s.named; }));
}

Proof Prove(const Exercise& exercise, const std::string& program,
            const std::function<void(const std::string&)>& progress) {
  Proof proof = {.exercise = exercise.name};
  const std::string starter = exercise.name + "/homework";
  if (progress) progress(starter);
  const bool starter_passes = Grade(exercise, program, starter).CountOf(Verdict::kPassed) > 0;
  for (const Specimen& specimen : Specimens::Of(exercise.name)) {
    if (progress) progress(specimen.child_name());
    const Report report = Grade(exercise, program, specimen.child_name());
    (specimen.correct() ? proof.correct : proof.mistaken)
        .push_back(Examine(specimen.name, specimen.expected, report));
  }
  if (starter_passes) proof.faults.push_back(exercise.name + ": the starter passes a check");
  FindFaults(exercise, proof);
  return proof;
}

std::string KillMatrix(const Exercise& exercise, const Proof& proof) {
  std::string text = "| mistake | named by |";
  for (const Check& check : exercise.checks) absl::StrAppend(&text, " ", check.id, " |");
  absl::StrAppend(&text, "\n| --- | --- |");
  for (size_t i = 0; i < exercise.checks.size(); ++i) text += " :-: |";
  text += "\n";
  for (const ProvedSpecimen& specimen : proof.mistaken) {
    absl::StrAppend(&text, "| ", specimen.name, " | ", absl::StrJoin(specimen.expected, " + "),
                    specimen.group > 0 ? absl::StrCat(" (or ", specimen.group, " more)") : "",
                    " |");
    for (const Check& check : exercise.checks) {
      const bool failed = specimen.failed_checks.count(check.id) != 0;
      absl::StrAppend(&text,
                      failed ? (specimen.failed_checks.size() == 1 ? " **x** |" : " x |") : " |");
    }
    text += "\n";
  }
  return text;
}

std::string ProofTable(const std::vector<Proof>& proofs) {
  std::string text =
      "| exercise | correct solutions pass | known mistakes | failed | named |\n"
      "| --- | ---: | ---: | ---: | ---: |\n";
  for (const Proof& proof : proofs) {
    const auto failed =
        std::count_if(proof.mistaken.begin(), proof.mistaken.end(),
                      [](const ProvedSpecimen& s) { return !s.failed_checks.empty(); });
    const auto passed =
        std::count_if(proof.correct.begin(), proof.correct.end(),
                      [](const ProvedSpecimen& s) { return s.failed_checks.empty(); });
    absl::StrAppend(&text, "| ", proof.exercise, " | ", passed, " of ", proof.correct.size(), " | ",
                    proof.mistaken.size(), " | ", failed, " | ", proof.named(), " |\n");
  }
  return text;
}

}  // namespace lemma::tools::grading
