#include "tests/propositions/proposition.h"

#include <cmath>
#include <iostream>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "autograd/error.h"
#include "gtest/gtest.h"
#include "tests/propositions/row.h"

namespace lemma::propositions {
namespace {

std::string Bound(const Measurement& m) {
  if (m.low == m.high) return absl::StrFormat("exactly %.7g", m.low);
  if (std::isinf(m.low)) return absl::StrFormat("at most %.4g", m.high);
  if (std::isinf(m.high)) return absl::StrFormat("at least %.4g", m.low);
  return absl::StrFormat("within [%.7g, %.7g]", m.low, m.high);
}

std::string Text(const Measurement& m) {
  return absl::StrFormat("%s: %.7g, %s", m.quantity, m.value, Bound(m));
}

}  // namespace

Row& ThisRow() {
  static Row row;
  return row;
}

Proposition::Proposition(Statement statement) {
  LEMMA_CHECK(ThisRow().statement.statement.empty());
  ThisRow().statement = std::move(statement);
}

Measurement AtMost(std::string quantity, double value, double bound) {
  return {.quantity = std::move(quantity), .value = value, .high = bound};
}

Measurement AtLeast(std::string quantity, double value, double bound) {
  return {.quantity = std::move(quantity), .value = value, .low = bound};
}

Measurement Between(std::string quantity, double low, double value, double high) {
  return {.quantity = std::move(quantity), .value = value, .low = low, .high = high};
}

Measurement Exactly(std::string quantity, double value, double expected) {
  return {.quantity = std::move(quantity), .value = value, .low = expected, .high = expected};
}

void ExpectHolds(const std::vector<Measurement>& measurements) {
  for (const Measurement& m : measurements) {
    std::cout << "measured: " << Text(m) << (m.holds() ? "" : ": DOES NOT HOLD") << '\n';
    EXPECT_TRUE(m.holds()) << Text(m);
    ThisRow().measured.push_back(Text(m));
  }
}

void ExpectHolds(const Measurement& measurement) {
  ExpectHolds(std::vector<Measurement>{measurement});
}

void ExpectBroken(const std::vector<Measurement>& measurements) {
  for (const Measurement& m : measurements) {
    std::cout << "broken on purpose: " << Text(m) << (m.holds() ? ": holds" : ": red") << '\n';
  }
  EXPECT_FALSE(absl::c_all_of(measurements, [](const Measurement& m) { return m.holds(); }))
      << "the layer was broken on purpose, and every measurement still holds";
}

void ExpectBroken(const Measurement& measurement) {
  ExpectBroken(std::vector<Measurement>{measurement});
}

}  // namespace lemma::propositions
