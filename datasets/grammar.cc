#include "datasets/grammar.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/error.h"

namespace lemma::datasets {
namespace {

constexpr int kMaxSweeps = 20000;

absl::Status NoAlternatives(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat("the grammar's symbol '", name, "' has no alternatives"));
}

}  // namespace

int Grammar::Intern(absl::string_view text, bool terminal) {
  auto& ids = terminal ? terminals_ : nonterminals_;
  const auto [it, inserted] = ids.emplace(std::string(text), static_cast<int>(symbols_.size()));
  if (inserted) symbols_.push_back({std::string(text), terminal, {}});
  return it->second;
}

int Grammar::Nonterminal(absl::string_view name) { return Intern(name, false); }

int Grammar::Text(absl::string_view text) {
  LEMMA_CHECK(!text.empty());
  return Intern(text, true);
}

void Grammar::Add(int head, uint32_t weight, std::vector<int> body) {
  Symbol& symbol = symbols_[head];
  LEMMA_CHECK(!symbol.terminal && weight > 0 && !body.empty(), symbol.text);
  const uint64_t before = symbol.alternatives.empty() ? 0 : symbol.alternatives.back().end_of_range;
  LEMMA_CHECK(before + weight <= UINT32_MAX, symbol.text);
  symbol.alternatives.push_back({static_cast<uint32_t>(before + weight), std::move(body)});
}

bool Grammar::Has(int head) const { return !symbols_[head].alternatives.empty(); }

double Grammar::Nats(const Symbol& symbol, size_t alternative) {
  const auto& all = symbol.alternatives;
  const uint32_t begin = alternative == 0 ? 0 : all[alternative - 1].end_of_range;
  const double total = all.back().end_of_range;
  return std::log(total / (all[alternative].end_of_range - begin));
}

size_t Grammar::Draw(const Symbol& symbol, Generator& generator) const {
  const auto& all = symbol.alternatives;
  if (all.size() == 1) return 0;
  // The largest multiple of the total below 2^32: what lies above it would favour small numbers.
  const uint64_t total = all.back().end_of_range;
  const uint64_t limit = (uint64_t{1} << 32) / total * total;
  uint64_t word = generator.Random();
  while (word >= limit) word = generator.Random();
  const uint32_t place = static_cast<uint32_t>(word % total);
  return std::upper_bound(all.begin(), all.end(), place,
                          [](uint32_t p, const Alternative& a) { return p < a.end_of_range; }) -
         all.begin();
}

std::vector<int> Grammar::Reachable(int start) const {
  std::vector<bool> seen(symbols_.size(), false);
  std::vector<int> found{start};
  seen[start] = true;
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Alternative& alternative : symbols_[found[i]].alternatives) {
      for (int symbol : alternative.body) {
        if (seen[symbol]) continue;
        seen[symbol] = true;
        found.push_back(symbol);
      }
    }
  }
  return found;
}

// The linear system value(s) = constant(s) + sum of coefficient * value(part) over the parts.
struct Grammar::Equation {
  int symbol;
  std::vector<std::pair<int, double>> parts;  // nonterminals with the expected number of each
};

bool Grammar::Solve(const std::vector<Equation>& equations, const std::vector<double>& constants,
                    std::vector<double>* values) {
  *values = constants;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double change = 0;
    for (const Equation& equation : equations) {
      double sum = constants[equation.symbol];
      for (const auto& [part, expected] : equation.parts) sum += expected * (*values)[part];
      if (!std::isfinite(sum)) return false;
      double& value = (*values)[equation.symbol];
      change = std::max(change, std::abs(sum - value) / (1 + std::abs(sum)));
      value = sum;
    }
    if (change < 1e-15) return true;
  }
  return false;
}

absl::StatusOr<Grammar::Expectation> Grammar::Expect(int start) const {
  // Symbols that were reached last come first: the others stand on them, so sweeps are few.
  std::vector<int> symbols = Reachable(start);
  std::reverse(symbols.begin(), symbols.end());
  std::vector<Equation> equations;
  std::vector<double> own_length(symbols_.size(), 0.0), own_nats(symbols_.size(), 0.0);
  for (int s : symbols) {
    const Symbol& symbol = symbols_[s];
    if (symbol.terminal) {
      own_length[s] = static_cast<double>(symbol.text.size());
      continue;
    }
    if (symbol.alternatives.empty()) return NoAlternatives(symbol.text);
    std::map<int, double> parts;
    for (size_t i = 0; i < symbol.alternatives.size(); ++i) {
      const double information = Nats(symbol, i);
      const double probability = std::exp(-information);
      own_nats[s] += probability * information;
      for (int part : symbol.alternatives[i].body) {
        if (symbols_[part].terminal) {
          own_length[s] += probability * static_cast<double>(symbols_[part].text.size());
        } else {
          parts[part] += probability;
        }
      }
    }
    equations.push_back({s, {parts.begin(), parts.end()}});
  }
  std::vector<double> length, nats, variance;
  if (!Solve(equations, own_length, &length) || !Solve(equations, own_nats, &nats)) {
    return absl::InvalidArgumentError(absl::StrCat("the grammar's symbol '", symbols_[start].text,
                                                   "' has no finite expected length"));
  }
  const double rate = nats[start] / length[start];

  // D = I - rate L. Given the alternative, the parts of a body are independent, so
  // Var[D] = sum_i p_i (sum of Var over the body + (E[D | i] - E[D])^2).
  const auto mean = [&](int s) { return nats[s] - rate * length[s]; };
  std::vector<double> own_variance(symbols_.size(), 0.0);
  for (const Equation& equation : equations) {
    const Symbol& symbol = symbols_[equation.symbol];
    for (size_t i = 0; i < symbol.alternatives.size(); ++i) {
      const double information = Nats(symbol, i);
      double deviation = information - mean(equation.symbol);
      for (int part : symbol.alternatives[i].body) deviation += mean(part);
      own_variance[equation.symbol] += std::exp(-information) * deviation * deviation;
    }
  }
  LEMMA_CHECK(Solve(equations, own_variance, &variance));
  return Expectation{nats[start], length[start], rate, variance[start] / length[start]};
}

std::string Grammar::Generate(int start, int64_t length, Generator& generator,
                              std::vector<float>* nats) const {
  std::string text;
  text.reserve(length + 64);
  if (nats != nullptr) nats->assign(length, 0.0f);
  std::vector<int> stack;
  while (static_cast<int64_t>(text.size()) < length) {
    if (stack.empty()) stack.push_back(start);
    const Symbol& symbol = symbols_[stack.back()];
    stack.pop_back();
    if (symbol.terminal) {
      text += symbol.text;
      continue;
    }
    const size_t i = Draw(symbol, generator);
    if (nats != nullptr) (*nats)[text.size()] += static_cast<float>(Nats(symbol, i));
    const std::vector<int>& body = symbol.alternatives[i].body;
    stack.insert(stack.end(), body.rbegin(), body.rend());
  }
  text.resize(length);
  return text;
}

}  // namespace lemma::datasets
