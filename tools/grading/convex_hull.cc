#include "tools/grading/convex_hull.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "Eigen/QR"
#include "autograd/error.h"

namespace lemma::tools::grading {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The least-squares solution in the columns that are `free`, 0 in the others.
VectorXd SolveFree(const MatrixXd& e, const VectorXd& f, const std::vector<bool>& free) {
  std::vector<Index> columns;
  for (Index j = 0; j < e.cols(); ++j) {
    if (free[j]) columns.push_back(j);
  }
  MatrixXd part(e.rows(), columns.size());
  for (size_t j = 0; j < columns.size(); ++j) part.col(j) = e.col(columns[j]);
  const VectorXd solution = part.colPivHouseholderQr().solve(f);
  VectorXd all = VectorXd::Zero(e.cols());
  for (size_t j = 0; j < columns.size(); ++j) all[columns[j]] = solution[j];
  return all;
}

// The part of the way from x to z on which every unknown stays non-negative.
double Step(const VectorXd& x, const VectorXd& z, const std::vector<bool>& free) {
  double step = 1;
  for (Index j = 0; j < x.size(); ++j) {
    if (free[j] && z[j] <= 0) step = std::min(step, x[j] / (x[j] - z[j]));
  }
  return step;
}

// The x >= 0 that makes |e x - f| least, by active sets.
VectorXd NonNegativeLeastSquares(const MatrixXd& e, const VectorXd& f) {
  VectorXd x = VectorXd::Zero(e.cols());
  std::vector<bool> free(e.cols(), false);
  for (Index round = 0; round < 10 * e.cols(); ++round) {
    VectorXd descent = e.transpose() * (f - e * x);
    for (Index j = 0; j < e.cols(); ++j) {
      if (free[j]) descent[j] = -std::numeric_limits<double>::infinity();
    }
    Index best;
    if (descent.maxCoeff(&best) <= 1e-14) return x;
    free[best] = true;
    while (true) {
      const VectorXd z = SolveFree(e, f, free);
      const double step = Step(x, z, free);
      x += step * (z - x);
      if (step == 1) break;
      for (Index j = 0; j < e.cols(); ++j) {
        if (free[j] && z[j] <= 0 && x[j] <= 1e-13) {
          free[j] = false;
          x[j] = 0;
        }
      }
    }
  }
  return x;
}

}  // namespace

// With the unknowns u >= 0, |sum_j u_j (points_j - point)|^2 + (sum u - 1)^2 is made least. Where
// the least is 0, u is a convex combination that meets the point; else the residual (r, rho) has
// r . (points_j - point) + rho >= 0 for each j, rho < 0: r is normal to a separating hyperplane.
HullCertificate LocateInHull(const MatrixXd& points, const VectorXd& point) {
  LEMMA_CHECK(points.rows() > 0 && points.cols() == point.size());
  MatrixXd offsets = (points.rowwise() - point.transpose()).transpose();  // (d, n)
  const double scale = std::max(offsets.colwise().norm().maxCoeff(), 1e-300);
  MatrixXd e(offsets.rows() + 1, offsets.cols());
  e << offsets / scale, Eigen::RowVectorXd::Ones(offsets.cols());
  const VectorXd u = NonNegativeLeastSquares(e, VectorXd::Unit(e.rows(), e.rows() - 1));

  HullCertificate certificate;
  certificate.weights = u / u.sum();
  const VectorXd nearest = offsets * certificate.weights;
  certificate.distance = nearest.norm();
  certificate.normal = nearest.normalized();
  certificate.margin = (offsets.transpose() * certificate.normal).minCoeff();
  return certificate;
}

}  // namespace lemma::tools::grading
