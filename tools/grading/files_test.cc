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
#include "autograd/random.h"
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
  std::ifstream file(absl::StrCat(root, "/", workspace, "/tools/grading/testdata/", name),
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

// Bytes changed, cut, doubled and mixed, all from good files. FUZZ_ROUNDS asks for more.
TEST(Outputs, SurviveAnyBytes) {
  const char* rounds = std::getenv("FUZZ_ROUNDS");
  const int count = rounds != nullptr ? std::atoi(rounds) : 20000;
  const uint64_t seed = rounds != nullptr ? static_cast<uint64_t>(count) : 11;
  SCOPED_TRACE(absl::StrCat("seed ", seed));
  Generator generator(seed);
  const std::vector<std::string> corpus = {TestData("stored.npz"), TestData("deflated.npz"),
                                           Safetensors()};
  int accepted = 0;
  for (int i = 0; i < count; ++i) {
    std::string bytes = corpus[generator.Random() % corpus.size()];
    const int changes = 1 + static_cast<int>(generator.Random() % 4);
    for (int j = 0; j < changes && !bytes.empty(); ++j) {
      const size_t at = generator.Random() % bytes.size();
      switch (generator.Random() % 6) {
        case 0:
          bytes.resize(at);
          break;
        case 1:
          bytes.insert(at, bytes.substr(generator.Random() % bytes.size(), 40));
          break;
        case 2:
          bytes[at] = static_cast<char>(0xff);
          break;
        case 3:
          bytes[at] = 0;
          break;
        default:
          bytes[at] = static_cast<char>(generator.Random());
      }
    }
    accepted += ParseOutputs(bytes).ok();
  }
  EXPECT_GT(accepted, 0);
  EXPECT_LT(accepted, count);
}

}  // namespace
}  // namespace lemma::tools::grading
