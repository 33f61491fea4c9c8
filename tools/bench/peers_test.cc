#include "tools/bench/peers.h"

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

// A folder that looks like a virtual environment whose Python can import one module only.
std::string EnvironmentWith(const std::string& module) {
  const std::string folder = testing::TempDir() + "/with_" + module;
  std::filesystem::create_directories(folder + "/bin");
  const std::string python = folder + "/bin/python3";
  std::ofstream(python) << "#!/bin/sh\n"
                        << "[ \"$2\" = 'import " << module << "' ] && exit 0\n"
                        << "echo 'Traceback' >&2; echo 'no module of this name' >&2; exit 1\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  return folder;
}

TEST(Peers, PyTorchComesEagerAndCompiled) {
  const std::string folder = EnvironmentWith("torch");
  const PeerSearch search = FindPeers(folder, "/scripts", Precision::kFloat32);
  ASSERT_EQ(search.found.size(), 2u);
  EXPECT_EQ(search.found[0].label, "PyTorch eager");
  EXPECT_EQ(search.found[0].command,
            (std::vector<std::string>{folder + "/bin/python3", "/scripts/peer_torch.py", "eager"}));
  EXPECT_EQ(search.found[1].label, "PyTorch compiled");
  EXPECT_TRUE(TakesPart(search.found[0], WorkloadKind::kSmallOp));
  EXPECT_FALSE(TakesPart(search.found[1], WorkloadKind::kSmallOp));
}

TEST(Peers, WhatIsMissingIsNamedWithTheReason) {
  const std::string folder = EnvironmentWith("torch");
  const PeerSearch search = FindPeers(folder, "/scripts", Precision::kFloat32);
  ASSERT_GE(search.missing.size(), 1u);
  EXPECT_EQ(search.missing[0], "JAX: no module of this name in the peers' folder");
}

TEST(Peers, JaxTakesPartInFloat32Only) {
  const std::string folder = EnvironmentWith("jax");
  const PeerSearch f32 = FindPeers(folder, "/scripts", Precision::kFloat32);
  ASSERT_EQ(f32.found.size(), 1u);
  EXPECT_EQ(f32.found[0].label, "JAX");
  EXPECT_TRUE(absl::StartsWith(f32.missing[0], "PyTorch: no module")) << f32.missing[0];
  const PeerSearch bf16 = FindPeers(folder, "/scripts", Precision::kBFloat16);
  EXPECT_TRUE(bf16.found.empty());
  ASSERT_EQ(bf16.missing.size(), f32.missing.size() + 1);
  EXPECT_EQ(bf16.missing[1], "JAX: its program computes in float32 alone");
}

TEST(Peers, LlmCTakesPartWhereItHasAWorker) {
  const std::string folder = EnvironmentWith("nothing");
  EXPECT_EQ(FindPeers(folder, "/scripts", Precision::kFloat32).missing.back(),
            "llm.c: the peers' folder has no llm.c/worker");
  std::filesystem::create_directories(folder + "/llm.c");
  std::ofstream(folder + "/llm.c/worker") << "#!/bin/sh\n";
  const PeerSearch search = FindPeers(folder, "/scripts", Precision::kFloat32);
  ASSERT_EQ(search.found.size(), 1u);
  EXPECT_EQ(search.found[0].label, "llm.c");
  EXPECT_TRUE(TakesPart(search.found[0], WorkloadKind::kTrain));
  EXPECT_FALSE(TakesPart(search.found[0], WorkloadKind::kSample));
}

}  // namespace
}  // namespace lemma::tools::bench
