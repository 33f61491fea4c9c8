// Where a point stands to the convex hull of other points, with a proof either way.
//
// Farkas' lemma: either the point is a convex combination of the points, or a hyperplane separates
// it from all of them. Both are found as one least-squares problem with non-negative unknowns.
// Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23.
#ifndef LEMMA_TOOLS_GRADING_CONVEX_HULL_H_
#define LEMMA_TOOLS_GRADING_CONVEX_HULL_H_

#include "Eigen/Core"

namespace lemma::tools::grading {

// margin <= the distance of the point from the hull <= distance, whoever found the two proofs.
struct HullCertificate {
  Eigen::VectorXd weights;  // (n), >= 0, of sum 1
  double distance = 0;      // of the point from the combination with these weights

  Eigen::VectorXd normal;  // (d), of length 1; 0 where the point is met exactly
  double margin = 0;       // least of normal . (points_j - point); positive: the point is outside
};

// points (n, d), one in each row; point (d).
HullCertificate LocateInHull(const Eigen::MatrixXd& points, const Eigen::VectorXd& point);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_CONVEX_HULL_H_
