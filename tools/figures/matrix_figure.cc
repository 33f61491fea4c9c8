#include "tools/figures/matrix_figure.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace lemma::tools {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

void AppendUtf8(std::string* text, char32_t c) {
  const auto continuation = [&](int shift) {
    *text += static_cast<char>(0x80 | ((c >> shift) & 0x3F));
  };
  if (c < 0x80) {
    *text += static_cast<char>(c);
  } else if (c < 0x800) {
    *text += static_cast<char>(0xC0 | (c >> 6));
    continuation(0);
  } else if (c < 0x10000) {
    *text += static_cast<char>(0xE0 | (c >> 12));
    continuation(6);
    continuation(0);
  } else {
    *text += static_cast<char>(0xF0 | (c >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

// Takes the first code point off `text`; a byte that begins none is taken alone.
char32_t TakeCodePoint(absl::string_view* text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>((*text)[i]); };
  const unsigned char first = byte(0);
  size_t length = 1;
  char32_t c = first;
  if (first >= 0xC2 && first <= 0xF4) {
    length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    c = first & (0x7F >> length);
  } else if (first >= 0x80) {
    c = kReplacement;
  }
  bool valid = text->size() >= length;
  for (size_t i = 1; valid && i < length; ++i) {
    valid = (byte(i) & 0xC0) == 0x80;
    c = c << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (length > 1) {
    valid = valid && c >= kSmallest[length] && c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
  }
  text->remove_prefix(valid ? length : 1);
  return valid ? c : kReplacement;
}

bool IsIn(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

// Characters without a shape of their own, or that change how their neighbours are laid out.
bool IsInvisible(char32_t c) {
  return IsIn(c, 0x80, 0xA0) || c == 0xAD || c == 0x61C || IsIn(c, 0x2000, 0x200F) ||
         IsIn(c, 0x2028, 0x202F) || IsIn(c, 0x205F, 0x206F) || c == 0x3000 || c == 0xFEFF ||
         IsIn(c, 0xFE00, 0xFE0F) || IsIn(c, 0xFFF9, 0xFFFB) || IsIn(c, 0xE0000, 0xE0FFF);
}

bool IsCombining(char32_t c) {
  return IsIn(c, 0x300, 0x36F) || IsIn(c, 0x483, 0x489) || IsIn(c, 0x591, 0x5BD) ||
         IsIn(c, 0x610, 0x61A) || IsIn(c, 0x64B, 0x65F) || IsIn(c, 0x1AB0, 0x1AFF) ||
         IsIn(c, 0x1DC0, 0x1DFF) || IsIn(c, 0x20D0, 0x20FF) || IsIn(c, 0xFE20, 0xFE2F);
}

std::string Visible(char32_t c) {
  if (c == '\n') return "↵";
  if (c == ' ') return "␣";
  if (c == '\t') return "⇥";
  std::string shown;
  if (c < 0x20) {
    AppendUtf8(&shown, 0x2400 + c);
  } else if (c == 0x7F) {
    AppendUtf8(&shown, 0x2421);
  } else if (IsInvisible(c)) {
    shown = "▯";
  } else {
    if (IsCombining(c)) shown = "◌";
    AppendUtf8(&shown, c);
  }
  return shown;
}

}  // namespace

bool IsMasked(const MatrixFigure& figure, const Panel& panel, int64_t i, int64_t j) {
  return j > i && panel.weights[i * figure.size() + j] == 0;
}

absl::Status Validate(const MatrixFigure& figure) {
  if (figure.panels.empty() || figure.labels.empty() || figure.columns < 1) {
    return absl::InvalidArgumentError("there is nothing to draw: no text, or no matrix");
  }
  for (const Panel& panel : figure.panels) {
    if (static_cast<int64_t>(panel.weights.size()) != figure.size() * figure.size()) {
      return absl::InvalidArgumentError(absl::StrCat(panel.title, " has ", panel.weights.size(),
                                                     " weights, not ", figure.size(), " squared"));
    }
    if (!std::all_of(panel.weights.begin(), panel.weights.end(),
                     [](float weight) { return std::isfinite(weight); })) {
      return absl::InvalidArgumentError(absl::StrCat(
          panel.title, " has a weight that is infinite or not a number: is the model broken?"));
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> VisibleCharacters(absl::string_view text) {
  std::vector<std::string> labels;
  while (!text.empty()) labels.push_back(Visible(TakeCodePoint(&text)));
  return labels;
}

std::vector<std::string> PositionLabels(int64_t count) {
  std::vector<std::string> labels;
  for (int64_t i = 0; i < count; ++i) labels.push_back(absl::StrCat(i));
  return labels;
}

}  // namespace lemma::tools
