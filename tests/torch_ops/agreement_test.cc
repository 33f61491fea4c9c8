// Every sample of an operator that is here gives PyTorch's outputs and gradients.
#include "tests/torch_ops/agreement.h"

#include <string>
#include <vector>

#include "autograd/dtype.h"
#include "gtest/gtest.h"
#include "tests/torch_ops/samples.h"
#include "tests/torch_ops/table.h"

namespace lemma::torch_ops {
namespace {

std::vector<std::string> ComparedOperators() {
  std::vector<std::string> names = {"edge"};  // values at which operators are special
  for (const Operator& op : Operators()) names.push_back(op.name);
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    if (c == '.' || c == '/') c = '_';
  }
  return name;
}

class TorchOps : public testing::TestWithParam<std::string> {
 protected:
  void ExpectAgreement(DType dtype) {
    const std::string& op = GetParam();
    int compared = 0;
    for (int i = 0; i < Samples::Get().NumSamples(op); ++i) {
      if (FindLeftOut(What::kSample, op, i)) continue;
      if (dtype == DType::kFloat32 && FindLeftOut(What::kInFloat32, op, i)) continue;
      EXPECT_EQ(Disagreement(op, i, dtype), "") << op << ", sample " << i;
      ++compared;
    }
    EXPECT_GT(compared, 0);
  }
};

TEST_P(TorchOps, AgreeInFloat64WithSecondOrder) { ExpectAgreement(DType::kFloat64); }
TEST_P(TorchOps, AgreeInFloat32) { ExpectAgreement(DType::kFloat32); }

TEST_P(TorchOps, RefuseWhatTorchRefuses) {
  const std::string& op = GetParam();
  for (int i = 0; i < Samples::Get().NumRefused(op); ++i) {
    if (FindLeftOut(What::kRefused, op, i)) continue;
    EXPECT_EQ(Acceptance(op, i), "") << op << ", refused call " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Each, TorchOps, testing::ValuesIn(ComparedOperators()), TestName);

}  // namespace
}  // namespace lemma::torch_ops
