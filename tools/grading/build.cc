#include "tools/grading/build.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "nlohmann/json.hpp"
#include "tools/subprocess.h"

namespace lemma::tools::grading {
namespace {

using Json = nlohmann::json;

constexpr int kNotFound = 127;
// Of Bazel: built, some targets failed, interrupted.
constexpr int kBuilt = 0, kSomeFailed = 1, kInterrupted = 8;

std::vector<std::string> Command(const Workshop& workshop, const std::vector<std::string>& words) {
  std::vector<std::string> command = {"env", "-C", workshop.workspace};
  command.insert(command.end(), workshop.bazel.begin(), workshop.bazel.end());
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

// Runs a command whose output the user sees, as diagnostics: stdout is the report's. Returns its
// exit status, 127 where it cannot be run.
int RunVisibly(std::vector<std::string> command) {
  std::vector<char*> words;
  for (std::string& word : command) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execvp(words[0], words.data());
    _exit(kNotFound);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kNotFound;
}

std::string Label(const std::string& package, const std::string& name) {
  return absl::StrCat("//", package, ":", name);
}

absl::Status CannotRun(const Workshop& workshop, const std::string& what) {
  return absl::NotFoundError(absl::StrCat("cannot run ", workshop.bazel[0], " to build ", what));
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A text in an object, or "".
std::string TextAt(const Json& json, const Json::json_pointer& path) {
  return json.contains(path) && json[path].is_string() ? json[path].get<std::string>() : "";
}

std::string NameIn(const std::string& label) { return label.substr(label.rfind(':') + 1); }

// An event of Bazel's build event protocol: a target that is done, or an action that failed.
void TakeEvent(const Json& event, std::map<std::string, TargetResult>& results) {
  const auto result = [&](const char* label) {
    return results.find(NameIn(TextAt(event, Json::json_pointer(label))));
  };
  if (const auto done = result("/id/targetCompleted/label"); done != results.end()) {
    const Json::json_pointer success("/completed/success");
    done->second.built = event.contains(success) && event[success] == true;
    const std::string aborted = TextAt(event, Json::json_pointer("/aborted/description"));
    if (!aborted.empty()) absl::StrAppend(&done->second.errors, "error: ", aborted, "\n");
  }
  if (const auto failed = result("/id/actionCompleted/label"); failed != results.end()) {
    std::string uri = TextAt(event, Json::json_pointer("/action/stderr/uri"));
    if (absl::StartsWith(uri, "file://")) failed->second.errors += ReadFile(uri.substr(7));
  }
}

// What Bazel itself has to complain about, a line.
std::string FirstComplaint(const std::vector<Json>& events) {
  for (const Json& event : events) {
    const std::string text = TextAt(event, Json::json_pointer("/progress/stderr"));
    const size_t at = text.find("ERROR: ");
    if (at != std::string::npos) return text.substr(at + 7, text.find('\n', at) - at - 7);
  }
  return "";
}

std::vector<Json> EventsIn(const std::string& path) {
  std::vector<Json> events;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    Json event = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (event.is_object()) events.push_back(std::move(event));
  }
  return events;
}

}  // namespace

absl::StatusOr<std::string> BuildProgram(const Workshop& workshop, const std::string& package,
                                         const std::string& name) {
  const std::string label = Label(package, name);
  const int status = RunVisibly(
      Command(workshop, {"build", "--noshow_loading_progress", "--ui_event_filters=-info", label}));
  if (status == kNotFound) return CannotRun(workshop, label);
  if (status != kBuilt) {
    return absl::FailedPreconditionError(
        absl::StrCat(label, " does not build; what the compiler says stands above"));
  }
  const absl::StatusOr<std::string> folder = ProgramFolder(workshop, package);
  if (!folder.ok()) return folder.status();
  return absl::StrCat(*folder, "/", name);
}

absl::StatusOr<std::map<std::string, TargetResult>> BuildAll(
    const Workshop& workshop, const std::string& package, const std::vector<std::string>& names) {
  char path[] = "/tmp/lemma-build-XXXXXX";
  const int file = mkstemp(path);
  if (file < 0) return absl::UnavailableError("cannot make a file in /tmp");
  close(file);
  std::vector<std::string> words = {"build",
                                    "--keep_going",
                                    "--noshow_loading_progress",
                                    "--show_result=0",
                                    "--ui_event_filters=-info,-warning,-error,-stdout,-stderr",
                                    absl::StrCat("--build_event_json_file=", path)};
  if (isatty(STDERR_FILENO) != 1) words.push_back("--noshow_progress");
  std::map<std::string, TargetResult> results;
  for (const std::string& name : names) {
    words.push_back(Label(package, name));
    results[name];
  }
  const int status = RunVisibly(Command(workshop, words));
  const std::vector<Json> events = EventsIn(path);
  unlink(path);
  for (const Json& event : events) TakeEvent(event, results);
  if (status == kNotFound) return CannotRun(workshop, "//" + package);
  if (status == kInterrupted) return absl::CancelledError("the build was interrupted");
  const bool told = std::any_of(results.begin(), results.end(), [](const auto& result) {
    return result.second.built || !result.second.errors.empty();
  });
  if (status != kBuilt && !(status == kSomeFailed && told)) {
    const std::string complaint = FirstComplaint(events);
    return absl::FailedPreconditionError(
        absl::StrCat("Bazel could not build //", package, ", it exited with status ", status,
                     complaint.empty() ? "" : absl::StrCat(": ", complaint)));
  }
  return results;
}

absl::StatusOr<std::string> ProgramFolder(const Workshop& workshop, const std::string& package) {
  const absl::StatusOr<ProcessResult> folder =
      RunProgram(Command(workshop, {"info", "bazel-bin"}), "");
  if (!folder.ok()) return folder.status();
  if (folder->exit_status != 0) {
    return absl::UnavailableError(absl::StrCat("bazel info bazel-bin failed: ", folder->errors));
  }
  return absl::StrCat(absl::StripAsciiWhitespace(folder->output), "/", package);
}

}  // namespace lemma::tools::grading
