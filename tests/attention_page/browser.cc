#include "tests/attention_page/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

extern char** environ;

namespace lemma {
namespace {

constexpr int kPatience_ms = 40'000;  // no answer by then means that none will come

absl::Status Failed(const std::string& what) {
  return absl::InternalError(absl::StrCat(what, ": ", strerror(errno)));
}

std::string Folder() {
  const char* const folder = std::getenv("TEST_TMPDIR");
  return absl::StrCat(folder != nullptr ? folder : "/tmp", "/chromium-", getpid());
}

}  // namespace

bool Browser::IsInstalled() { return std::system("command -v chromium >/dev/null 2>&1") == 0; }

absl::StatusOr<std::unique_ptr<Browser>> Browser::Start() {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) return Failed("no pipe");
  const std::string profile = absl::StrCat("--user-data-dir=", Folder());
  // --no-sandbox: a test may run as root, or in a sandbox already.
  const char* const arguments[] = {"chromium",
                                   "--headless",
                                   "--no-sandbox",
                                   "--disable-gpu",
                                   "--disable-dev-shm-usage",
                                   "--window-size=1400,1000",
                                   "--remote-debugging-pipe",
                                   profile.c_str(),
                                   nullptr};
  // The numbers that --remote-debugging-pipe reads from and writes to are 3 and 4. They may be
  // among the pipe's own, so each goes out of the way first.
  const int read_end = fcntl(to[0], F_DUPFD_CLOEXEC, 10);
  const int write_end = fcntl(from[1], F_DUPFD_CLOEXEC, 10);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, read_end, 3);
  posix_spawn_file_actions_adddup2(&actions, write_end, 4);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);  // so that all of its processes can be ended
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::unique_ptr<Browser> browser(new Browser);
  const int error = posix_spawnp(&browser->process_, arguments[0], &actions, &attributes,
                                 const_cast<char**>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  for (const int end : {to[0], from[1], read_end, write_end}) close(end);
  browser->to_ = to[1];
  browser->from_ = from[0];
  errno = error;
  if (error != 0) return Failed("cannot start chromium");
  return browser;
}

Browser::~Browser() {
  if (to_ >= 0) close(to_);
  if (from_ >= 0) close(from_);
  if (process_ > 0) {
    kill(-process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(Folder(), ignored);
}

absl::Status Browser::Open(const std::string& url) {
  session_.clear();
  problems_.clear();
  absl::StatusOr<nlohmann::json> tab = Call("Target.createTarget", {{"url", "about:blank"}});
  if (!tab.ok()) return tab.status();
  tab = Call("Target.attachToTarget", {{"targetId", tab->at("targetId")}, {"flatten", true}});
  if (!tab.ok()) return tab.status();
  session_ = tab->at("sessionId");
  for (const char* domain : {"Runtime.enable", "Log.enable", "Page.enable"}) {
    if (absl::Status status = Call(domain, nlohmann::json::object()).status(); !status.ok()) {
      return status;
    }
  }
  if (absl::Status status = Call("Page.navigate", {{"url", url}}).status(); !status.ok()) {
    return status;
  }
  while (true) {
    const absl::StatusOr<nlohmann::json> event = Receive();
    if (!event.ok()) return event.status();
    const bool is_ours = event->value("sessionId", "") == session_;
    if (is_ours && event->value("method", "") == "Page.loadEventFired") return absl::OkStatus();
  }
}

absl::StatusOr<nlohmann::json> Browser::Evaluate(const std::string& expression) {
  absl::StatusOr<nlohmann::json> result =
      Call("Runtime.evaluate", {{"expression", expression}, {"returnByValue", true}});
  if (!result.ok()) return result;
  if (result->contains("exceptionDetails")) {
    return absl::InternalError(result->at("exceptionDetails").dump());
  }
  return result->at("result").value("value", nlohmann::json());
}

absl::Status Browser::Mouse(const char* type, double x, double y) {
  const bool is_move = std::strcmp(type, "mouseMoved") == 0;
  return Call("Input.dispatchMouseEvent", {{"type", type},
                                           {"x", x},
                                           {"y", y},
                                           {"button", is_move ? "none" : "left"},
                                           {"clickCount", is_move ? 0 : 1}})
      .status();
}

absl::Status Browser::MoveMouse(double x, double y) { return Mouse("mouseMoved", x, y); }

absl::Status Browser::Click(double x, double y) {
  for (const char* type : {"mouseMoved", "mousePressed", "mouseReleased"}) {
    if (absl::Status status = Mouse(type, x, y); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Browser::PressKey(const std::string& key) {
  for (const char* type : {"rawKeyDown", "keyUp"}) {
    const absl::Status status =
        Call("Input.dispatchKeyEvent", {{"type", type}, {"key", key}, {"code", key}}).status();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<nlohmann::json> Browser::Call(const std::string& method, nlohmann::json parameters) {
  const int id = next_id_++;
  nlohmann::json message = {{"id", id}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string bytes = message.dump() + '\0';
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(to_, bytes.data() + done, bytes.size() - done);
    if (count <= 0) return Failed("chromium does not listen");
    done += static_cast<size_t>(count);
  }
  while (true) {
    absl::StatusOr<nlohmann::json> answer = Receive();
    if (!answer.ok()) return answer;
    if (answer->value("id", 0) != id) continue;
    if (answer->contains("error")) {
      return absl::InternalError(absl::StrCat(method, ": ", answer->at("error").dump()));
    }
    return answer->at("result");
  }
}

absl::StatusOr<nlohmann::json> Browser::Receive() {
  size_t end;
  while ((end = received_.find('\0')) == std::string::npos) {
    pollfd waiting = {from_, POLLIN, 0};
    if (poll(&waiting, 1, kPatience_ms) <= 0) return Failed("chromium does not answer");
    char buffer[1 << 14];
    const ssize_t count = read(from_, buffer, sizeof(buffer));
    if (count <= 0) return Failed("chromium is gone");
    received_.append(buffer, static_cast<size_t>(count));
  }
  nlohmann::json message = nlohmann::json::parse(received_.substr(0, end));
  received_.erase(0, end + 1);
  Note(message);
  return message;
}

void Browser::Note(const nlohmann::json& event) {
  if (event.value("sessionId", "") != session_) return;  // of a tab before this one
  const std::string method = event.value("method", "");
  const bool is_error =
      method == "Log.entryAdded" && event["/params/entry/level"_json_pointer] == "error";
  if (method == "Runtime.exceptionThrown" || is_error) problems_.push_back(event.dump());
}

}  // namespace lemma
