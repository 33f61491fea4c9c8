#include "datasets/grammar_reader.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace lemma::datasets {
namespace {

// Stands in the table of a symbol while that is being made.
constexpr int kUnfinished = -1;

bool IsRun(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '\'' || c == '-';
}

// Length of the token that `text`, which is not empty, starts with.
size_t TokenLength(absl::string_view text) {
  const size_t begin = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  size_t end = begin;
  while (end < text.size() && IsRun(text[end])) ++end;
  return std::max(end, begin + 1);
}

template <typename... Pieces>
absl::Status Error(const Pieces&... pieces) {
  return absl::InvalidArgumentError(absl::StrCat(pieces...));
}

}  // namespace

absl::StatusOr<GrammarReader> GrammarReader::Create(const Grammar* grammar, int start) {
  GrammarReader reader(grammar, start);
  reader.first_.resize(grammar->symbols_.size());
  const std::vector<int> symbols = grammar->Reachable(start);
  for (int s : symbols) {
    const Grammar::Symbol& symbol = grammar->symbols_[s];
    if (!symbol.terminal && symbol.alternatives.empty()) {
      return Error("the grammar's symbol '", symbol.text, "' has no alternatives");
    }
    if (absl::Status status = reader.FindFirst(s); !status.ok()) return status;
  }
  if (absl::Status status = reader.CheckBoundaries(symbols); !status.ok()) return status;
  return reader;
}

int GrammarReader::Token(absl::string_view token) {
  const auto [it, inserted] =
      tokens_.emplace(std::string(token), static_cast<int>(token_texts_.size()));
  if (inserted) token_texts_.push_back(it->first);
  return it->second;
}

absl::Status GrammarReader::FindFirst(int symbol) {
  const Grammar::Symbol& head = grammar_->symbols_[symbol];
  FirstTable& table = first_[symbol];
  if (!table.empty()) {
    if (table.front().first != kUnfinished) return absl::OkStatus();
    return Error("the grammar's symbol '", head.text, "' starts with itself");
  }
  if (head.terminal) {
    const absl::string_view text = head.text;
    table.push_back({Token(text.substr(0, TokenLength(text))), 0});
    return absl::OkStatus();
  }
  table.push_back({kUnfinished, 0});
  FirstTable found;
  for (size_t i = 0; i < head.alternatives.size(); ++i) {
    const int first = head.alternatives[i].body[0];
    if (absl::Status status = FindFirst(first); !status.ok()) return status;
    for (const auto& entry : first_[first]) found.push_back({entry.first, static_cast<int>(i)});
  }
  std::sort(found.begin(), found.end());
  for (size_t i = 1; i < found.size(); ++i) {
    if (found[i].first == found[i - 1].first) {
      return Error("two alternatives of the grammar's symbol '", head.text, "' start with '",
                   absl::CEscape(token_texts_[found[i].first]), "'");
    }
  }
  table = std::move(found);
  return absl::OkStatus();
}

absl::Status GrammarReader::CheckBoundaries(const std::vector<int>& symbols) const {
  const auto& all = grammar_->symbols_;
  std::vector<bool> starts_run(all.size(), false), ends_run(all.size(), false);
  for (int s : symbols) {
    for (const auto& entry : first_[s]) {
      if (IsRun(token_texts_[entry.first][0])) starts_run[s] = true;
    }
    if (!all[s].terminal) continue;
    if (all[s].text.back() == ' ') {
      return Error("the grammar's text '", all[s].text, "' ends with a space");
    }
    ends_run[s] = IsRun(all[s].text.back());
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (int s : symbols) {
      for (const auto& alternative : all[s].alternatives) {
        if (ends_run[s] || !ends_run[alternative.body.back()]) continue;
        ends_run[s] = changed = true;
      }
    }
  }
  const auto check = [&](int left, int right) {
    if (!ends_run[left] || !starts_run[right]) return absl::OkStatus();
    return Error("the grammar lets a word of '", all[left].text, "' run on into '", all[right].text,
                 "'");
  };
  absl::Status status = check(start_, start_);
  for (int s : symbols) {
    for (const auto& alternative : all[s].alternatives) {
      for (size_t i = 1; i < alternative.body.size(); ++i) {
        status.Update(check(alternative.body[i - 1], alternative.body[i]));
      }
    }
  }
  return status;
}

absl::StatusOr<double> GrammarReader::Score(absl::string_view text) const {
  double nats = 0;
  size_t position = 0;
  std::vector<int> stack;
  while (position < text.size()) {
    if (stack.empty()) stack.push_back(start_);
    const int s = stack.back();
    stack.pop_back();
    const Grammar::Symbol& symbol = grammar_->symbols_[s];
    const absl::string_view rest = text.substr(position);
    if (symbol.terminal) {
      const size_t n = std::min(symbol.text.size(), rest.size());
      if (rest.substr(0, n) != absl::string_view(symbol.text).substr(0, n)) {
        return Error("at byte ", position, " the text has '", absl::CHexEscape(rest.substr(0, n)),
                     "', and the grammar goes on with '", absl::CEscape(symbol.text), "'");
      }
      position += n;
      continue;
    }
    const absl::string_view token = rest.substr(0, TokenLength(rest));
    if (token.size() == rest.size()) break;
    const auto known = tokens_.find(std::string(token));
    const std::pair<int, int> wanted{known == tokens_.end() ? kUnfinished : known->second, 0};
    const auto it = std::lower_bound(first_[s].begin(), first_[s].end(), wanted);
    if (it == first_[s].end() || it->first != wanted.first) {
      return Error("at byte ", position, " the text has '", absl::CHexEscape(token),
                   "', with which the grammar's symbol '", symbol.text, "' cannot start");
    }
    nats += Grammar::Nats(symbol, it->second);
    const std::vector<int>& body = symbol.alternatives[it->second].body;
    stack.insert(stack.end(), body.rbegin(), body.rend());
  }
  return nats;
}

}  // namespace lemma::datasets
