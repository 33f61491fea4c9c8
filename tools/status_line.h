// A line of a program's state: rewritten in place on a terminal, now and then a new line in a pipe.
//
//   StatusLine line(StatusLineOptions::ForStdout());
//   for (...) line.Show("step 12 | loss 3.21");
//   line.Print("saved runs/course-1/checkpoint.safetensors");  // stays on the screen
//
// Not for use from several threads.
#ifndef LEMMA_TOOLS_STATUS_LINE_H_
#define LEMMA_TOOLS_STATUS_LINE_H_

#include <functional>
#include <string>

#include "absl/strings/string_view.h"

namespace lemma::tools {

struct StatusLineOptions {
  bool is_terminal = false;
  double terminal_seconds = 0.1;  // at least this long between two pictures of the line
  double pipe_seconds = 10;       // and between two lines in a pipe
  std::function<int()> columns = [] { return 80; };
  std::function<double()> now;                   // seconds that only grow
  std::function<void(absl::string_view)> write;  // must pass the bytes on at once

  // Standard output, its width whenever a line is shown, and the steady clock. A terminal that
  // cannot rewrite a line (TERM is "dumb" or not set) counts as a pipe.
  static StatusLineOptions ForStdout();
  // The same for standard error, where standard output is a result that others read.
  static StatusLineOptions ForStderr();
};

class StatusLine {
 public:
  explicit StatusLine(StatusLineOptions options);
  // Leaves the line that is shown last on the screen.
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  // The new state, on a terminal cut to its width. Skipped if the last one is too recent, unless
  // `always`: for a first or last state that should be seen.
  void Show(absl::string_view line, bool always = false);

  // A line that stays, above the state.
  void Print(absl::string_view line);

  // Ends the line that is shown, so that other output starts on a line of its own.
  void Finish();

 private:
  const StatusLineOptions options_;
  bool has_shown_ = false;
  double last_shown_ = 0;
  bool is_open_ = false;  // the cursor stands behind a state that has no newline yet
};

// The first `columns` characters of UTF-8 text; one that is cut ends in "...", if there is room.
std::string CutToColumns(absl::string_view text, int columns);

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_STATUS_LINE_H_
