#include "tests/propositions/singular_values.h"

#include "Eigen/Core"
#include "Eigen/SVD"
#include "tests/propositions/measure.h"

namespace lemma::propositions {

std::vector<double> SingularValues(const Tensor& matrix) {
  // Row-major elements read column-major: the transpose, which has the same singular values.
  const std::vector<double> elements = Doubles(matrix);
  const Eigen::Map<const Eigen::MatrixXd> transpose(elements.data(), matrix.size(1),
                                                    matrix.size(0));
  const Eigen::VectorXd values = Eigen::JacobiSVD<Eigen::MatrixXd>(transpose).singularValues();
  return std::vector<double>(values.data(), values.data() + values.size());
}

}  // namespace lemma::propositions
