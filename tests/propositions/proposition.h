// What the targets of tests/propositions share: a statement, and measurements beside their bounds.
//
//   const Proposition kProposition({
//       .statement = "Every row of A is a probability distribution.",
//       .source = "Step 4, 3.1",
//       .exact = "non-negative exactly; the sum is 1 up to rounding"});
//
//   std::vector<Measurement> RowsInTheSimplex(const Tensor& a) {
//     return {AtLeast("smallest weight", Smallest(a), 0),
//             AtMost("largest |row sum - 1|", LargestDistanceToOne(Sum(a, {-1})), 1e-6)};
//   }
//
//   TEST(Simplex, Holds) { ExpectHolds(RowsInTheSimplex(Attention(x))); }
//   TEST(Simplex, GoesRedWithoutSoftmax) { ExpectBroken(RowsInTheSimplex(Scores(x))); }
//
// A target holds one Proposition, tests that it holds, and at least one test that breaks the layer
// on purpose and shows the same check go red. Link with :proposition_main; `proposition_test` in
// proposition.bzl does so. Each binary also prints its row of README.md's table: see
// proposition_main.cc.
#ifndef LEMMA_TESTS_PROPOSITIONS_PROPOSITION_H_
#define LEMMA_TESTS_PROPOSITIONS_PROPOSITION_H_

#include <limits>
#include <string>
#include <vector>

namespace lemma::propositions {

struct Statement {
  std::string statement;  // one sentence, in Markdown
  std::string source;     // where the course states it: "Step 4, 3.1"
  std::string exact;      // what is exact, and what holds up to rounding or in probability
};

// Makes a statement the one of this binary. At namespace scope, once.
class Proposition {
 public:
  explicit Proposition(Statement statement);
};

// A quantity that a check measured, and the interval that the proposition puts it in.
struct Measurement {
  std::string quantity;
  double value = 0;
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool holds() const { return low <= value && value <= high; }  // NaN does not
};

Measurement AtMost(std::string quantity, double value, double bound);
Measurement AtLeast(std::string quantity, double value, double bound);
Measurement Between(std::string quantity, double low, double value, double high);
Measurement Exactly(std::string quantity, double value, double expected);

// Prints each measurement beside its bound, and fails the test unless all hold.
void ExpectHolds(const std::vector<Measurement>& measurements);
void ExpectHolds(const Measurement& measurement);

// The companion: prints them, and fails the test unless at least one does not hold.
void ExpectBroken(const std::vector<Measurement>& measurements);
void ExpectBroken(const Measurement& measurement);

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_PROPOSITION_H_
