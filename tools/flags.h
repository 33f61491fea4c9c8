// Flags of a command line program, on absl::flags: every main's first call.
//
//   ABSL_FLAG(int64_t, steps, 2000, "optimizer steps");
//   ABSL_FLAG(std::string, preset, "course", "configuration to start from");
//
//   int main(int argc, char** argv) {
//     lemma::tools::ParseFlags(argc, argv,
//                              {.program = "train",
//                               .summary = "Trains a GPT on a text.",
//                               .groups = {{"Model", {"preset"}}, {"Training", {"steps"}}}});
//     lemma::tools::RequireAtLeast(FLAGS_steps, 1);
//     ...
//     if (!status.ok()) lemma::tools::Die(status);
//   }
//
// A flag is written --name=value or --name value, a bool --name or --noname; one dash does as well.
// Given twice, the last counts. --help (or -h) prints summary and flags and exits 0. Anything that
// is wrong is one line on stderr, with the nearest name, and exit status 2:
//
//   train: unknown flag --stpes; did you mean --steps?
//
// Arguments that are not flags are refused. (absl::ParseCommandLine would list all flags of
// all linked libraries and exit 1 for both.)
#ifndef LEMMA_TOOLS_FLAGS_H_
#define LEMMA_TOOLS_FLAGS_H_

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lemma::tools {

// Flags that --help lists under one title, by name and in this order.
struct FlagGroup {
  std::string title;
  std::vector<std::string> flags;
};

// What --help says. Flags in no group are listed last, under "Other".
struct Usage {
  std::string program;  // as "train"; begins every message of Die
  std::string summary;  // what it does, lines as they are to be printed
  std::vector<FlagGroup> groups;
};

// Sets the flags from argv[1] on. Returns where all went well, else exits as told above.
void ParseFlags(int argc, const char* const* argv, const Usage& usage);

// ParseFlags without the exit: true if help was asked for. `arguments` are argv[1] and on.
absl::StatusOr<bool> ParseFlagsOrStatus(const std::vector<std::string>& arguments,
                                        const Usage& usage);

// The text of --help.
std::string HelpText(const Usage& usage);

// Whether the flag was given on the command line that was parsed last.
bool IsGiven(absl::string_view flag_name);
template <typename T>
bool IsGiven(const absl::Flag<T>& flag) {
  return IsGiven(absl::GetFlagReflectionHandle(flag).Name());
}

// Prints "PROGRAM: message" as one line on stderr and exits 2.
[[noreturn]] void Die(absl::string_view message);
[[noreturn]] void Die(const absl::Status& status);
// 0; but Die(status) where it is an error.
int ExitStatus(const absl::Status& status);

// What a main does after its flags: runs `body` and returns its exit status. An Error that it
// throws, lack of memory, and standard output that cannot be written end the program as Die does.
int RunMain(absl::FunctionRef<int()> body);

// Checks of a flag's value; each ends the program through Die with the flag's name and rule. A NaN
// satisfies none of them.
template <typename T>
void RequireAtLeast(const absl::Flag<T>& flag, std::type_identity_t<T> low);
template <typename T>
void RequirePositive(const absl::Flag<T>& flag);
template <typename T>
void RequireInRange(const absl::Flag<T>& flag, std::type_identity_t<T> low,
                    std::type_identity_t<T> high);     // low <= value <= high
void RequireFraction(const absl::Flag<double>& flag);  // 0 <= value < 1
void RequireFraction(const absl::Flag<float>& flag);

// Checks that a string flag, where it is given, is not empty; `what` is what it names: "a folder".
void RequireNotEmpty(const absl::Flag<std::string>& flag, absl::string_view what);

// Checks that a string flag has one of the values, else names them and the nearest.
void RequireOneOf(const absl::Flag<std::string>& flag, const std::vector<std::string>& values);

// The sentence of RequireOneOf, for lists that are known elsewhere:
// "--preset=cuorse is unknown; did you mean course? (course, gpt2)".
std::string UnknownValueText(absl::string_view flag_name, absl::string_view value,
                             const std::vector<std::string>& values);

// Implementation of the templates.

template <typename T>
[[noreturn]] void DieOutOfRange(const absl::Flag<T>& flag, const std::string& rule) {
  const absl::CommandLineFlag& handle = absl::GetFlagReflectionHandle(flag);
  Die(absl::StrCat("--", handle.Name(), " must be ", rule, ", not ", handle.CurrentValue()));
}

template <typename T>
void RequireAtLeast(const absl::Flag<T>& flag, std::type_identity_t<T> low) {
  if (!(absl::GetFlag(flag) >= low)) DieOutOfRange(flag, absl::StrCat("at least ", low));
}

template <typename T>
void RequirePositive(const absl::Flag<T>& flag) {
  if (!(absl::GetFlag(flag) > T{})) DieOutOfRange(flag, "greater than 0");
}

template <typename T>
void RequireInRange(const absl::Flag<T>& flag, std::type_identity_t<T> low,
                    std::type_identity_t<T> high) {
  const T value = absl::GetFlag(flag);
  if (!(value >= low && value <= high)) {
    DieOutOfRange(flag, absl::StrCat("from ", low, " to ", high));
  }
}

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FLAGS_H_
