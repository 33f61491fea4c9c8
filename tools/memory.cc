#include "tools/memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace lemma::tools {
namespace {

// A line "Key:   1234 kB" of /proc/self/status in bytes; 0 if there is none.
uint64_t StatusBytes(const std::string& key) {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    std::istringstream fields(line);
    std::string name, unit;
    uint64_t value = 0;
    if (fields >> name && name == key && fields >> value >> unit && unit == "kB") {
      return value * 1024;
    }
  }
  return 0;
}

}  // namespace

uint64_t CurrentResidentBytes() { return StatusBytes("VmRSS:"); }

uint64_t PhysicalBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) : 0;
}

uint64_t PeakResidentBytes() {
  if (const uint64_t bytes = StatusBytes("VmHWM:"); bytes > 0) return bytes;
  // Coarser, but there in containers that hide the other.
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
}

bool ResetPeakResidentBytes() {
  std::ofstream clear("/proc/self/clear_refs");
  clear << "5" << std::flush;  // 5 stands for the peak of the resident memory, proc(5)
  return clear.good();
}

}  // namespace lemma::tools
