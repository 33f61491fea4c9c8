#include "tools/grading/terminal_report.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"

namespace lemma::tools::grading {
namespace {

constexpr size_t kNarrowest = 20, kWidest = 96;

// "" where it is not set.
absl::string_view Environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

std::string Painted(const std::string& text, const char* code, bool colour) {
  return colour ? absl::StrCat("\033[", code, "m", text, "\033[0m") : text;
}

std::string Mark(Verdict verdict, bool colour) {
  switch (verdict) {
    case Verdict::kPassed:
      return Painted("ok  ", "32", colour);
    case Verdict::kFailed:
      return Painted("FAIL", "31", colour);
    case Verdict::kNotJudged:
      return Painted("--  ", "33", colour);
  }
  return "";
}

// Words in lines of at most `columns`, each after `indent` spaces. Lines of the text stay apart.
std::string Wrapped(absl::string_view text, size_t indent, size_t columns) {
  const size_t end = text.find('\n');
  if (end != text.npos) {
    return absl::StrCat(Wrapped(text.substr(0, end), indent, columns),
                        Wrapped(text.substr(end + 1), indent, columns));
  }
  std::string result, line;
  for (const absl::string_view word : absl::StrSplit(text, ' ')) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > columns) {
      absl::StrAppend(&result, std::string(indent, ' '), line, "\n");
      line.clear();
    }
    absl::StrAppend(&line, line.empty() ? "" : " ", word);
  }
  return absl::StrCat(result, std::string(indent, ' '), line, "\n");
}

std::string Indented(const std::string& text, size_t indent) {
  std::string result;
  for (const absl::string_view line :
       absl::StrSplit(absl::StripTrailingAsciiWhitespace(text), '\n')) {
    absl::StrAppend(&result, line.empty() ? "" : std::string(indent, ' '), line, "\n");
  }
  return result;
}

// Control characters of what a learner's code printed would move the cursor.
std::string Harmless(const std::string& printed) {
  std::string text;
  for (const char c : printed) text += c == '\n' || !absl::ascii_iscntrl(c) ? c : '?';
  return text;
}

std::string CheckText(const CheckResult& check, bool colour, size_t columns) {
  std::string text = absl::StrCat("  ", Mark(check.verdict, colour), "  ", check.title);
  if (check.verdict == Verdict::kNotJudged) {
    return absl::StrCat(text, ": not judged because of ", absl::StrJoin(check.because, ", "), "\n");
  }
  text += "\n";
  std::vector<std::string> parts;
  if (!check.measured.empty()) parts.push_back(check.measured);
  if (!check.where.empty()) parts.push_back(absl::StrCat("at ", check.where));
  const bool is_list = check.problem.find('\n') != check.problem.npos;
  if (!check.problem.empty() && !is_list) parts.push_back(check.problem);
  if (!parts.empty()) text += Wrapped(absl::StrJoin(parts, "; "), 8, columns);
  if (is_list) text += Wrapped(check.problem, 8, columns);
  return text;
}

}  // namespace

std::string TerminalReport(const Report& report, bool colour, size_t columns) {
  std::string text = absl::StrCat(report.exercise, "\n");
  for (const CheckResult& check : report.checks) text += CheckText(check, colour, columns);
  if (!report.diagnosis.text.empty()) {
    absl::StrAppend(&text, "\n", Painted("What it is", "1", colour), "\n",
                    Wrapped(report.diagnosis.text, 2, columns));
  }
  if (report.witness) {
    absl::StrAppend(&text, "\n", Painted("The smallest case that goes wrong", "1", colour), "\n",
                    Indented(WitnessText(*report.witness), 2));
  }
  if (!report.printed.empty()) {
    absl::StrAppend(&text, "\n", Painted("Your code printed", "1", colour), "\n",
                    Indented(Harmless(report.printed), 2));
  }
  const size_t passed = report.CountOf(Verdict::kPassed);
  const size_t skipped = report.CountOf(Verdict::kNotJudged);
  absl::StrAppend(&text, "\n", report.passed() ? "passed" : "failed", ": ", passed, " of ",
                  report.checks.size(), " checks",
                  skipped > 0 ? absl::StrCat(", ", skipped, " not judged") : "", "\n");
  return text;
}

bool WantsColour(bool is_terminal) {
  return is_terminal && Environment("NO_COLOR").empty() && Environment("TERM") != "dumb";
}

std::string TerminalReportForStdout(const Report& report) {
  winsize size = {};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return TerminalReport(report, WantsColour(isatty(STDOUT_FILENO) == 1),
                        known ? std::clamp<size_t>(size.ws_col, kNarrowest, kWidest) : kWidest);
}

}  // namespace lemma::tools::grading
