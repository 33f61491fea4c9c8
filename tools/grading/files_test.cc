#include "tools/grading/files.h"

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/dtype.h"
#include "autograd/shape.h"
#include "gtest/gtest.h"
#include "tools/grading/answer.h"
#include "tools/grading/exercise.h"
#include "tools/grading/npz.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {
namespace {

// "ordinary.out" float32 (2, 3), "ordinary.weights" float64 (2, 3) in Fortran's order,
// "ordinary.count" int64 (), written as numpy.savez and savez_compressed do.
std::string TestData(const std::string& name) {
  const char* root = std::getenv("TEST_SRCDIR");
  const char* workspace = std::getenv("TEST_WORKSPACE");
  std::ifstream file(absl::StrCat(root, "/", workspace, "/tools/grading/testdata/outputs/", name),
                     std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string Safetensors() {
  std::string header = R"({"ordinary.out":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const uint64_t size = header.size();
  std::string bytes(reinterpret_cast<const char*>(&size), sizeof(size));
  const float values[] = {1, 2};
  return bytes + header + std::string(reinterpret_cast<const char*>(values), sizeof(values));
}

class Npz : public testing::TestWithParam<const char*> {};

TEST_P(Npz, IsReadAsNumPyWritesIt) {
  const absl::StatusOr<Values> values = ParseNpz(TestData(GetParam()));
  ASSERT_TRUE(values.ok()) << values.status();
  const std::vector<float> in_order = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ((*values)["ordinary.out"].ToVector<float>(), in_order);
  EXPECT_EQ((*values)["ordinary.weights"].ToVector<double>(),
            (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ((*values)["ordinary.weights"].shape(), Shape({2, 3}));
  EXPECT_EQ(values->Int("ordinary.count"), 7);
}

INSTANTIATE_TEST_SUITE_P(Both, Npz, testing::Values("stored.npz", "deflated.npz"));

TEST(Outputs, AreToldApartByTheirBytesAndBecomeFloat32) {
  const absl::StatusOr<Values> npz = ParseOutputs(TestData("stored.npz"));
  ASSERT_TRUE(npz.ok()) << npz.status();
  EXPECT_EQ((*npz)["ordinary.weights"].dtype(), DType::kFloat32);
  const absl::StatusOr<Values> safetensors = ParseOutputs(Safetensors());
  ASSERT_TRUE(safetensors.ok()) << safetensors.status();
  EXPECT_EQ((*safetensors)["ordinary.out"].ToVector<float>(), (std::vector<float>{1, 2}));
}

TEST(Outputs, AreRefusedWithASentence) {
  EXPECT_FALSE(ParseOutputs("").ok());
  EXPECT_FALSE(ParseOutputs("PK").ok());
  const std::string bytes = TestData("stored.npz");
  const size_t element = bytes.find("\x93NUMPY") + 128;
  std::string damaged = bytes;
  damaged[element] ^= 1;
  EXPECT_TRUE(absl::StrContains(ParseOutputs(damaged).status().message(), "checksum"));
}

TEST(Outputs, MissOneByName) {
  FileExaminee examinee(*ParseOutputs(TestData("stored.npz")));
  Probe probe;
  probe.name = "ordinary";
  EXPECT_EQ(examinee.Ask(probe).outputs.size(), 3u);
  probe.name = "long";
  EXPECT_EQ(examinee.Ask(probe).ending, Ending::kMissing);
}

}  // namespace
}  // namespace lemma::tools::grading
