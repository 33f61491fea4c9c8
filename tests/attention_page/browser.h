// A headless Chromium that a test drives by the DevTools protocol, over a pair of pipes.
//
//   absl::StatusOr<std::unique_ptr<Browser>> browser = Browser::Start();
//   absl::Status opened = (*browser)->Open("file:///tmp/page.html");
//   (*browser)->Evaluate("document.title");          // "\"...\"", the JSON of the value
//   (*browser)->MoveMouse(x, y);                     // as a hand would: the page sees the events
//
// Protocol: https://chromedevtools.github.io/devtools-protocol. Messages are JSON, ended by NUL.
#ifndef LEMMA_TESTS_ATTENTION_PAGE_BROWSER_H_
#define LEMMA_TESTS_ATTENTION_PAGE_BROWSER_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace lemma {

class Browser {
 public:
  // Whether a chromium is installed.
  static bool IsInstalled();
  // Starts one with a profile of its own in the test's folder.
  static absl::StatusOr<std::unique_ptr<Browser>> Start();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Opens an address in a new tab and waits until it is loaded.
  absl::Status Open(const std::string& url);
  // The value of an expression in the page.
  absl::StatusOr<nlohmann::json> Evaluate(const std::string& expression);
  // Moves the mouse to a place in the window, in CSS pixels.
  absl::Status MoveMouse(double x, double y);
  // Presses and releases the left button there.
  absl::Status Click(double x, double y);
  // Presses and releases a key, as "ArrowRight".
  absl::Status PressKey(const std::string& key);

  // Texts of the exceptions that nobody caught in the page that was opened last, and of its errors
  // in the console, such as what its content security policy refused to load.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  Browser() = default;
  // Sends a command and waits for its result; what else comes is looked at for problems.
  absl::StatusOr<nlohmann::json> Call(const std::string& method, nlohmann::json parameters);
  absl::StatusOr<nlohmann::json> Receive();
  absl::Status Mouse(const char* type, double x, double y);
  void Note(const nlohmann::json& event);

  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  int next_id_ = 1;
  std::string session_;   // of the open tab
  std::string received_;  // bytes that are no whole message yet
  std::vector<std::string> problems_;
};

}  // namespace lemma

#endif  // LEMMA_TESTS_ATTENTION_PAGE_BROWSER_H_
