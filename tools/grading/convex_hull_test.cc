#include "tools/grading/convex_hull.h"

#include <algorithm>
#include <iostream>

#include "absl/types/span.h"
#include "autograd/random.h"
#include "gtest/gtest.h"

namespace lemma::tools::grading {
namespace {

const Eigen::MatrixXd kSquare = (Eigen::MatrixXd(4, 2) << 0, 0, 0, 1, 1, 0, 1, 1).finished();

TEST(LocateInHull, FindsWeightsOfAPointInside) {
  const HullCertificate c = LocateInHull(kSquare, Eigen::Vector2d(0.3, 0.9));
  EXPECT_GE(c.weights.minCoeff(), 0);
  EXPECT_NEAR(c.weights.sum(), 1, 1e-15);
  EXPECT_LT(c.distance, 1e-15);
  EXPECT_LT(c.margin, 1e-15);
}

TEST(LocateInHull, FindsTheHyperplaneOfAPointOutside) {
  const HullCertificate c = LocateInHull(kSquare, Eigen::Vector2d(0.3, 1.25));
  EXPECT_NEAR(c.margin, 0.25, 1e-14);
  EXPECT_NEAR(c.distance, 0.25, 1e-14);
  EXPECT_NEAR(c.normal[1], -1, 1e-14);
}

TEST(LocateInHull, MeetsASinglePoint) {
  const Eigen::MatrixXd one = kSquare.topRows(1);
  EXPECT_EQ(LocateInHull(one, Eigen::Vector2d(0, 0)).distance, 0);
  EXPECT_NEAR(LocateInHull(one, Eigen::Vector2d(3, 4)).margin, 5, 1e-14);
}

// The two proofs bracket the distance; where they meet, both are the best.
TEST(LocateInHull, ItsTwoProofsMeet) {
  std::cout << "seed 11\n";
  Generator generator(11);
  const auto normal = [&] {
    double value;
    generator.Normal(absl::MakeSpan(&value, 1));
    return value;
  };
  for (int trial = 0; trial < 500; ++trial) {
    const Eigen::MatrixXd points = Eigen::MatrixXd::NullaryExpr(1 + trial % 30, 6, normal);
    const Eigen::VectorXd point = Eigen::VectorXd::NullaryExpr(6, normal) * (0.1 + trial % 3);
    const HullCertificate c = LocateInHull(points, point);
    EXPECT_LE(c.margin, c.distance + 1e-12);
    EXPECT_GE(std::max(c.margin, 0.0), c.distance - 1e-10) << "trial " << trial;
  }
}

}  // namespace
}  // namespace lemma::tools::grading
