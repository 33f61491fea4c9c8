#include "tools/format.h"

#include <cmath>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace lemma::tools {

std::string FormatCount(int64_t count) {
  const std::string digits = absl::StrCat(count);
  const size_t first_digit = count < 0 ? 1 : 0;
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > first_digit && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string FormatBytes(uint64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return absl::StrCat(FormatCount(static_cast<int64_t>(bytes)), " B");
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  // A value that rounds to 1024.0 belongs to the next unit.
  while (value >= 1023.95 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string FormatDuration(double seconds) {
  constexpr double kLongest = 1e9;  // 32 years
  if (!(seconds >= 0 && seconds < kLongest)) return "?";
  if (seconds < 9.95) return absl::StrFormat("%.1f s", seconds);
  const int64_t whole = std::llround(seconds);
  if (whole < 60) return absl::StrCat(whole, " s");
  if (whole < 3600) return absl::StrFormat("%dm %02ds", whole / 60, whole % 60);
  const int64_t minutes = std::llround(seconds / 60);
  if (minutes < 24 * 60) return absl::StrFormat("%dh %02dm", minutes / 60, minutes % 60);
  const int64_t hours = std::llround(seconds / 3600);
  return absl::StrFormat("%dd %02dh", hours / 24, hours % 24);
}

std::string FormatPercent(double part, double whole) {
  const double percent = 100 * part / whole;
  return std::isfinite(percent) ? absl::StrFormat("%.1f %%", percent) : "-";
}

}  // namespace lemma::tools
