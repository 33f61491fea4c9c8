#include "tools/bench/peers.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/subprocess.h"

namespace lemma::tools::bench {
namespace {

constexpr char kSystemPython[] = "python3";

// The interpreter of the environment, else that of the system.
std::string Python(const std::string& folder) {
  const std::string python = absl::StrCat(folder, "/bin/python3");
  std::error_code error;
  return std::filesystem::exists(python, error) ? python : kSystemPython;
}

// Empty if the interpreter can import the module, else why not.
std::string WhyNoModule(const std::string& python, const std::string& module) {
  const absl::StatusOr<ProcessResult> result =
      RunProgram({python, "-c", absl::StrCat("import ", module)}, "");
  if (!result.ok()) return std::string(result.status().message());
  if (result->exit_status == 0) return "";
  const std::vector<std::string> lines =
      absl::StrSplit(absl::StripAsciiWhitespace(result->errors), '\n');
  return absl::StrCat(
      lines.back(), python == kSystemPython ? " in the system's Python" : " in the peers' folder");
}

}  // namespace

bool TakesPart(const PeerProgram& peer, WorkloadKind kind) {
  return std::find(peer.kinds.begin(), peer.kinds.end(), kind) != peer.kinds.end();
}

PeerSearch FindPeers(const std::string& folder, const std::string& scripts, Precision precision) {
  using enum WorkloadKind;
  PeerSearch search;
  const std::string python = Python(folder);
  if (const std::string why = WhyNoModule(python, "torch"); !why.empty()) {
    search.missing.push_back(absl::StrCat("PyTorch: ", why));
  } else {
    const std::vector<std::string> command = {python, absl::StrCat(scripts, "/peer_torch.py")};
    search.found.push_back({.label = "PyTorch eager",
                            .command = {command[0], command[1], "eager"},
                            .kinds = {kTrain, kSample, kSamplePast, kSmallOp}});
    search.found.push_back({.label = "PyTorch compiled",
                            .command = {command[0], command[1], "compiled"},
                            .kinds = {kTrain, kSample, kSamplePast}});
  }
  if (const std::string why = WhyNoModule(python, "jax"); !why.empty()) {
    search.missing.push_back(absl::StrCat("JAX: ", why));
  } else if (precision == Precision::kFloat32) {
    search.found.push_back({.label = "JAX",
                            .command = {python, absl::StrCat(scripts, "/peer_jax.py")},
                            .kinds = {kTrain, kSample, kSamplePast}});
  } else {
    search.missing.push_back("JAX: its program computes in float32 alone");
  }
  const std::string llm_c = absl::StrCat(folder, "/llm.c/worker");
  if (std::error_code error; std::filesystem::exists(llm_c, error)) {
    search.found.push_back({.label = "llm.c", .command = {llm_c}, .kinds = {kTrain}});
  } else {
    search.missing.push_back("llm.c: the peers' folder has no llm.c/worker");
  }
  return search;
}

}  // namespace lemma::tools::bench
