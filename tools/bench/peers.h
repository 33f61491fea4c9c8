// The programs that Lemma is compared with, where they are installed.
#ifndef LEMMA_TOOLS_BENCH_PEERS_H_
#define LEMMA_TOOLS_BENCH_PEERS_H_

#include <string>
#include <vector>

#include "tools/bench/precision.h"
#include "tools/bench/workload.h"

namespace lemma::tools::bench {

// A worker (worker.h) in another library.
struct PeerProgram {
  std::string label = {};                 // "PyTorch compiled"
  std::vector<std::string> command = {};  // starts it
  std::vector<WorkloadKind> kinds = {};   // of workload that it can do
};

bool TakesPart(const PeerProgram& peer, WorkloadKind kind);

struct PeerSearch {
  std::vector<PeerProgram> found = {};
  std::vector<std::string> missing = {};  // "JAX: No module named 'jax' in ..."
};

// Looks for PyTorch and JAX in the virtual environment `folder` (install_peers.sh makes one), and
// where there is none in the system's python3. `scripts` is the folder of peer_*.py. llm.c, which
// no package index has, takes part where `folder`/llm.c/worker is a program that speaks a worker's
// lines (worker.h).
PeerSearch FindPeers(const std::string& folder, const std::string& scripts, Precision precision);

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_PEERS_H_
