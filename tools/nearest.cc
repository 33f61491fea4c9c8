#include "tools/nearest.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/ascii.h"

namespace lemma::tools {
namespace {

char Plain(char c) { return c == '-' ? '_' : absl::ascii_tolower(static_cast<unsigned char>(c)); }

}  // namespace

int EditDistance(absl::string_view a, absl::string_view b) {
  // Three rows of the table of distances between beginnings of a and of b.
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = Plain(a[i - 1]) == Plain(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && Plain(a[i - 1]) == Plain(b[j - 2]) &&
                           Plain(a[i - 2]) == Plain(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string NearestName(absl::string_view word, const std::vector<std::string>& names) {
  constexpr size_t kLongestWord = 200;  // the table is quadratic
  if (word.size() > kLongestWord) return "";
  const int limit = std::max(1, static_cast<int>(word.size()) / 3);
  int best = limit + 1;
  std::string nearest;
  for (const std::string& name : names) {
    const int distance = EditDistance(word, name);
    if (distance >= best) continue;
    best = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace lemma::tools
