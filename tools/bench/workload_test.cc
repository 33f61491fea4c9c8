#include "tools/bench/workload.h"

#include <set>
#include <string>

#include "gtest/gtest.h"
#include "models/gpt/config.h"

namespace lemma::tools::bench {
namespace {

int64_t Parameters(const char* workload) {
  return models::ParameterFormula(FindWorkload(workload)->model);
}

TEST(Workload, SizesAreThoseOfThePublishedFigures) {
  EXPECT_EQ(Parameters("course-b1"), 816640);
  EXPECT_EQ(Parameters("course-b64"), 816640);
  EXPECT_EQ(Parameters("gpt2-124m"), 162419712);
  EXPECT_EQ(Parameters("sample-gpt2"), 162419712);
  EXPECT_EQ(TokensPerUnit(*FindWorkload("course-b12")), 12 * 64);
  EXPECT_EQ(TokensPerUnit(*FindWorkload("nanogpt-gpu")), 16 * 256);
  EXPECT_EQ(TokensPerUnit(*FindWorkload("gpt2-124m")), 4 * 256);
  EXPECT_EQ(TokensPerUnit(*FindWorkload("sample-course")), 64);
  EXPECT_EQ(TokensPerUnit(*FindWorkload("sample-course-past")), 1);
}

TEST(Workload, NamesAreUniqueAndFound) {
  std::set<std::string> seen;
  for (const std::string& name : WorkloadNames()) {
    EXPECT_TRUE(seen.insert(name).second) << name;
    ASSERT_NE(FindWorkload(name), nullptr);
    EXPECT_EQ(FindWorkload(name)->name, name);
  }
  EXPECT_EQ(FindWorkload("course"), nullptr);
}

TEST(Workload, ModelsAreValidWithUntiedHeadsAndNoDropout) {
  for (const Workload& workload : Workloads()) {
    EXPECT_TRUE(workload.model.Validate().ok()) << workload.name;
    EXPECT_FALSE(workload.model.tied_head) << workload.name;
    EXPECT_EQ(workload.model.dropout, 0) << workload.name;
  }
}

TEST(Workload, FlopsCountProductsAndCausalAttention) {
  // 4 blocks of 12 x 128^2 and a head of 65 x 128, times 6; 6 x 4 x 64 x 128.
  EXPECT_EQ(TrainingFlopsPerToken(FindWorkload("course-b1")->model),
            6.0 * (786432 + 8320) + 196608);
}

TEST(Workload, SamplingReadsAllWeightsButTheEmbeddings) {
  EXPECT_EQ(WeightBytesPerToken(FindWorkload("sample-course")->model),
            4.0 * (816640 - 65 * 128 - 64 * 128));
}

}  // namespace
}  // namespace lemma::tools::bench
