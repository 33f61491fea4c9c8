#include "tools/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"

namespace lemma::tools {
namespace {

// Back to the first column, and after the text away with what the last one left on the right.
constexpr absl::string_view kToStart = "\r";
constexpr absl::string_view kClearRest = "\x1b[K";

int Columns(int file) {
  winsize size = {};
  const bool known = ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : 80;
}

bool RewritesLines(int file) {
  const char* const term = std::getenv("TERM");
  return isatty(file) == 1 && term != nullptr && *term != '\0' && absl::string_view(term) != "dumb";
}

bool StartsCharacter(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }

StatusLineOptions ForStream(std::FILE* stream, int file) {
  StatusLineOptions options;
  options.is_terminal = RewritesLines(file);
  options.columns = [file] { return Columns(file); };
  options.now = [] {
    const auto time = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(time).count();
  };
  options.write = [stream](absl::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stream);
    std::fflush(stream);
  };
  return options;
}

}  // namespace

StatusLineOptions StatusLineOptions::ForStdout() { return ForStream(stdout, STDOUT_FILENO); }
StatusLineOptions StatusLineOptions::ForStderr() { return ForStream(stderr, STDERR_FILENO); }

StatusLine::StatusLine(StatusLineOptions options) : options_(std::move(options)) {}

StatusLine::~StatusLine() { Finish(); }

void StatusLine::Show(absl::string_view line, bool always) {
  const double now = options_.now();
  const double pause = options_.is_terminal ? options_.terminal_seconds : options_.pipe_seconds;
  if (has_shown_ && !always && now - last_shown_ < pause) return;
  has_shown_ = true;
  last_shown_ = now;
  if (!options_.is_terminal) {
    options_.write(absl::StrCat(line, "\n"));
    return;
  }
  // In the last column many terminals wrap already.
  const std::string cut = CutToColumns(line, options_.columns() - 1);
  options_.write(absl::StrCat(kToStart, cut, kClearRest));
  is_open_ = true;
}

void StatusLine::Print(absl::string_view line) {
  if (!is_open_) {
    options_.write(absl::StrCat(line, "\n"));
    return;
  }
  options_.write(absl::StrCat(kToStart, line, kClearRest, "\n"));
  is_open_ = false;
  has_shown_ = false;
}

void StatusLine::Finish() {
  if (is_open_) options_.write("\n");
  is_open_ = false;
}

std::string CutToColumns(absl::string_view text, int columns) {
  constexpr int kDots = 3;
  int count = 0;
  size_t end = text.size();  // of what fits
  size_t end_with_dots = 0;  // of what fits together with the dots
  for (size_t i = 0; i < text.size(); ++i) {
    if (!StartsCharacter(text[i])) continue;
    if (count == columns - kDots) end_with_dots = i;
    if (count == columns) {
      end = i;
      break;
    }
    ++count;
  }
  if (columns <= 0) return "";
  if (end == text.size()) return std::string(text);
  if (columns < 2 * kDots) return std::string(text.substr(0, end));
  return absl::StrCat(text.substr(0, end_with_dots), "...");
}

}  // namespace lemma::tools
