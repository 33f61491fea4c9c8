#include "tools/bench/machine.h"

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "hwy/highway.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace lemma::tools::bench {

std::string ProcessorName() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const size_t colon = line.find(':');
    if (absl::StartsWith(line, "model name") && colon != std::string::npos) {
      return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    }
  }
  return "unknown";
}

int AvailableProcessors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::vector<std::pair<std::string, std::string>> Versions() {
  const dnnl_version_t& onednn = *dnnl_version();
  std::vector<std::pair<std::string, std::string>> versions = {
      {"oneDNN", absl::StrCat(onednn.major, ".", onednn.minor, ".", onednn.patch)},
      {"Highway", absl::StrCat(HWY_MAJOR, ".", HWY_MINOR, ".", HWY_PATCH)},
      {"compiler", __VERSION__},
  };
  if (utsname system; uname(&system) == 0) {
    versions.emplace_back("kernel", absl::StrCat(system.sysname, " ", system.release));
  }
  return versions;
}

}  // namespace lemma::tools::bench
