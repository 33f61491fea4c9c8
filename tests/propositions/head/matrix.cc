#include "tests/propositions/head/matrix.h"

#include <vector>

#include "tests/propositions/measure.h"

namespace lemma::propositions {

Eigen::MatrixXd Matrix(const Tensor& x) {
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::vector<double> values = Doubles(x);
  return Eigen::Map<const RowMajor>(values.data(), x.size(0), x.size(1));
}

}  // namespace lemma::propositions
