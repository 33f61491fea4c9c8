#include "tools/flags.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

#include "absl/flags/commandlineflag.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "autograd/error.h"
#include "tools/nearest.h"

namespace lemma::tools {
namespace {

constexpr int kExitBadInput = 2;

std::string& ProgramName() {
  static auto* name = new std::string;
  return *name;
}

std::set<std::string>& GivenFlags() {
  static auto* given = new std::set<std::string>;
  return *given;
}

// The program's flags by name, sorted; those that Abseil defines itself are left out.
std::vector<std::pair<std::string, absl::CommandLineFlag*>> OwnFlags() {
  std::vector<std::pair<std::string, absl::CommandLineFlag*>> flags;
  for (const auto& [name, flag] : absl::GetAllFlags()) {
    const std::string file = flag->Filename();
    if (flag->IsRetired() || absl::StartsWith(file, "absl/") || absl::StrContains(file, "/absl/")) {
      continue;
    }
    flags.emplace_back(std::string(name), flag);
  }
  std::sort(flags.begin(), flags.end());
  return flags;
}

absl::CommandLineFlag* FindFlag(absl::string_view name) {
  for (const auto& [own, flag] : OwnFlags()) {
    if (own == name) return flag;
  }
  return nullptr;
}

bool IsBool(const absl::CommandLineFlag& flag) { return flag.IsOfType<bool>(); }

// What values a flag takes, in words; "" for types of the program's own.
absl::string_view ExpectedValue(const absl::CommandLineFlag& flag) {
  if (flag.IsOfType<bool>()) return "true or false";
  if (flag.IsOfType<int32_t>()) return "a whole number within 32 bits";
  if (flag.IsOfType<int64_t>()) return "a whole number within 64 bits";
  if (flag.IsOfType<uint32_t>()) return "a whole number from 0 on within 32 bits";
  if (flag.IsOfType<uint64_t>()) return "a whole number from 0 on within 64 bits";
  if (flag.IsOfType<float>() || flag.IsOfType<double>()) return "a number";
  return "";
}

absl::Status Refuse(const std::string& text) { return absl::InvalidArgumentError(text); }

absl::Status UnknownFlag(absl::string_view name) {
  std::vector<std::string> names = {"help"};
  for (const auto& [own, flag] : OwnFlags()) names.push_back(own);
  std::string nearest = NearestName(name, names);
  absl::string_view switched_off = name;
  if (nearest.empty() && absl::ConsumePrefix(&switched_off, "no")) {
    nearest = NearestName(switched_off, names);
  }
  return Refuse(absl::StrCat(
      "unknown flag --", name, "; ",
      nearest.empty() ? "--help lists the flags" : absl::StrCat("did you mean --", nearest, "?")));
}

absl::Status SetFlag(absl::CommandLineFlag& flag, const std::string& value) {
  std::string error;
  if (flag.ParseFrom(value, &error)) {
    GivenFlags().insert(std::string(flag.Name()));
    return absl::OkStatus();
  }
  const std::string shown = absl::StrCat("--", flag.Name(), "=", value);
  const absl::string_view expected = ExpectedValue(flag);
  if (!expected.empty()) return Refuse(absl::StrCat(shown, ": expected ", expected));
  // A parser of the program's own says why after the last "; ".
  const size_t reason = error.find("'; ");
  return Refuse(
      absl::StrCat(shown, ": ", reason == std::string::npos ? error : error.substr(reason + 3)));
}

// Reads the flag at arguments[at] and moves `at` behind it.
absl::Status ParseOne(const std::vector<std::string>& arguments, size_t& at) {
  const std::string& argument = arguments[at++];
  absl::string_view text = argument;
  if (argument.size() < 2 || argument[0] != '-' || argument == "--") {
    const bool after_switch = at >= 2 && (argument == "true" || argument == "false");
    return Refuse(absl::StrCat("unexpected argument '", argument, "'; ",
                               after_switch ? "a switch takes its value as --name=" + argument
                                            : "flags begin with --, and --help lists them"));
  }
  text.remove_prefix(text[1] == '-' ? 2 : 1);

  const size_t equals = text.find('=');
  const absl::string_view name = text.substr(0, equals);
  if (absl::CommandLineFlag* flag = FindFlag(name)) {
    if (equals != absl::string_view::npos) {
      return SetFlag(*flag, std::string(text.substr(equals + 1)));
    }
    if (IsBool(*flag)) return SetFlag(*flag, "true");
    if (at == arguments.size() || absl::StartsWith(arguments[at], "--")) {
      return Refuse(absl::StrCat("--", name, " needs a value, as in --", name, "=",
                                 flag->DefaultValue().empty() ? "..." : flag->DefaultValue()));
    }
    return SetFlag(*flag, arguments[at++]);
  }

  absl::string_view switched_off = name;
  if (!absl::ConsumePrefix(&switched_off, "no")) return UnknownFlag(name);
  absl::CommandLineFlag* const flag = FindFlag(switched_off);
  if (flag == nullptr) return UnknownFlag(name);
  if (!IsBool(*flag)) {
    return Refuse(absl::StrCat("--", name, ": --", switched_off,
                               " is no switch that can be turned off; give it a value"));
  }
  if (equals != absl::string_view::npos) {
    return Refuse(
        absl::StrCat("--", name, " takes no value; write --", switched_off, text.substr(equals)));
  }
  return SetFlag(*flag, "false");
}

// Breaks `text` at spaces into lines of at most `width` columns.
std::vector<std::string> Wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines = {""};
  for (const absl::string_view word : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width)
      lines.emplace_back();
    absl::StrAppend(&lines.back(), lines.back().empty() ? "" : " ", word);
  }
  return lines;
}

void AppendFlagHelp(std::string* help, const absl::CommandLineFlag& flag) {
  constexpr size_t kIndent = 26;
  constexpr size_t kColumns = 80;
  std::string left = absl::StrCat("  --", IsBool(flag) ? "[no]" : "", flag.Name());
  std::string value = flag.DefaultValue();
  if (flag.IsOfType<std::string>() && !value.empty()) value = absl::StrCat("\"", value, "\"");
  std::string text = flag.Help();
  if (!value.empty()) absl::StrAppend(&text, " (default: ", value, ")");
  for (const std::string& line : Wrapped(text, kColumns - kIndent)) {
    if (left.size() + 1 > kIndent) {
      absl::StrAppend(help, left, "\n");
      left.clear();
    }
    left.resize(kIndent, ' ');
    absl::StrAppend(help, left, line, "\n");
    left.clear();
  }
}

std::string OneLine(absl::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    line += c == '\n'    ? " "
            : is_control ? absl::CEscape(absl::string_view(&c, 1))
                         : std::string(1, c);
  }
  return line;
}

// Die without stdout, which would fail again.
void FlushOutput() {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return;
  Die("the standard output cannot be written; what is missing there is lost");
}

template <typename T>
void RequireFractionOf(const absl::Flag<T>& flag) {
  const T value = absl::GetFlag(flag);
  if (!(value >= 0 && value < 1)) DieOutOfRange(flag, "at least 0 and less than 1");
}

}  // namespace

absl::StatusOr<bool> ParseFlagsOrStatus(const std::vector<std::string>& arguments,
                                        const Usage& usage) {
  ProgramName() = usage.program;
  GivenFlags().clear();
  for (size_t at = 0; at < arguments.size();) {
    const std::string& argument = arguments[at];
    if (argument == "--help" || argument == "-help" || argument == "-h") return true;
    if (absl::Status status = ParseOne(arguments, at); !status.ok()) return status;
  }
  return false;
}

void ParseFlags(int argc, const char* const* argv, const Usage& usage) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  const absl::StatusOr<bool> help = ParseFlagsOrStatus(arguments, usage);
  if (!help.ok()) Die(help.status());
  if (!*help) return;
  const std::string text = HelpText(usage);
  std::fwrite(text.data(), 1, text.size(), stdout);
  FlushOutput();
  std::exit(0);
}

std::string HelpText(const Usage& usage) {
  std::string help =
      absl::StrCat(usage.summary, "\n\nUsage: ", usage.program, " [--flag=value ...]\n");
  std::set<std::string> listed;
  const auto add = [&](const std::string& title, const std::vector<std::string>& names) {
    if (!names.empty()) absl::StrAppend(&help, "\n", title, ":\n");
    for (const std::string& name : names) {
      const absl::CommandLineFlag* const flag = FindFlag(name);
      if (flag == nullptr) {
        std::fprintf(stderr, "the usage of %s lists a flag --%s that does not exist\n",
                     usage.program.c_str(), name.c_str());
        std::abort();
      }
      if (listed.insert(name).second) AppendFlagHelp(&help, *flag);
    }
  };
  for (const FlagGroup& group : usage.groups) add(group.title, group.flags);
  std::vector<std::string> others;
  for (const auto& [name, flag] : OwnFlags()) {
    if (listed.count(name) == 0) others.push_back(name);
  }
  add(usage.groups.empty() ? "Flags" : "Other", others);
  return help;
}

bool IsGiven(absl::string_view flag_name) { return GivenFlags().count(std::string(flag_name)) > 0; }

void Die(absl::string_view message) {
  std::fflush(stdout);
  const std::string line =
      absl::StrCat(ProgramName(), ProgramName().empty() ? "" : ": ", OneLine(message), "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::exit(kExitBadInput);
}

void Die(const absl::Status& status) { Die(status.message()); }

int ExitStatus(const absl::Status& status) {
  if (!status.ok()) Die(status);
  return 0;
}

int RunMain(absl::FunctionRef<int()> body) {
  constexpr absl::string_view kOutOfMemory =
      "there is not enough memory for this; ask for less, such as a smaller batch, model or text";
  int exit_status = 0;
  try {
    exit_status = body();
  } catch (const Error& error) {
    Die(error.what());
  } catch (const std::bad_alloc&) {
    Die(kOutOfMemory);
  } catch (const std::length_error&) {
    Die(kOutOfMemory);
  }
  FlushOutput();
  return exit_status;
}

void RequireFraction(const absl::Flag<double>& flag) { RequireFractionOf(flag); }
void RequireFraction(const absl::Flag<float>& flag) { RequireFractionOf(flag); }

std::string UnknownValueText(absl::string_view flag_name, absl::string_view value,
                             const std::vector<std::string>& values) {
  const std::string nearest = NearestName(value, values);
  const std::string list = absl::StrJoin(values, ", ");
  return absl::StrCat("--", flag_name, "=", value, " is unknown; ",
                      nearest.empty()
                          ? absl::StrCat("it can be ", list)
                          : absl::StrCat("did you mean ", nearest, "? (it can be ", list, ")"));
}

void RequireNotEmpty(const absl::Flag<std::string>& flag, absl::string_view what) {
  if (!IsGiven(flag) || !absl::GetFlag(flag).empty()) return;
  const absl::string_view name = absl::GetFlagReflectionHandle(flag).Name();
  Die(absl::StrCat("--", name, "= is empty; it takes ", what, ", or leave it out"));
}

void RequireOneOf(const absl::Flag<std::string>& flag, const std::vector<std::string>& values) {
  const std::string value = absl::GetFlag(flag);
  if (std::find(values.begin(), values.end(), value) != values.end()) return;
  Die(UnknownValueText(absl::GetFlagReflectionHandle(flag).Name(), value, values));
}

}  // namespace lemma::tools
