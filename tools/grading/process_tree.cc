#include "tools/grading/process_tree.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace lemma::tools::grading {
namespace {

// The mark is a limit on the time of real-time scheduling, which nobody here has: children inherit
// it, and without privilege nobody can raise it again.
bool BearsMarkOf(pid_t root, pid_t process) {
  std::ifstream limits(absl::StrCat("/proc/", process, "/limits"));
  for (std::string line; std::getline(limits, line);) {
    if (!absl::StartsWith(line, "Max realtime timeout")) continue;
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    return words.size() > 4 && words[4] == absl::StrCat(root);
  }
  return false;
}

// The numbers among the names in a folder.
std::vector<pid_t> NumbersIn(const std::string& folder) {
  std::vector<pid_t> numbers;
  DIR* const open = opendir(folder.c_str());
  if (open == nullptr) return numbers;
  while (const dirent* entry = readdir(open)) {
    pid_t number;
    if (absl::SimpleAtoi(entry->d_name, &number)) numbers.push_back(number);
  }
  closedir(open);
  return numbers;
}

std::string FolderOf(pid_t process) { return absl::StrCat("/proc/", process); }

std::vector<pid_t> ChildrenOf(pid_t process) {
  std::vector<pid_t> children;
  const std::string tasks = FolderOf(process) + "/task";
  for (const pid_t task : NumbersIn(tasks)) {
    std::ifstream file(absl::StrCat(tasks, "/", task, "/children"));
    for (pid_t child; file >> child;) children.push_back(child);
  }
  return children;
}

// What came from `root` and is a child of this process now, ended or not.
std::vector<pid_t> AdoptedFrom(pid_t root) {
  std::vector<pid_t> adopted = ChildrenOf(getpid());
  adopted.erase(
      std::remove_if(adopted.begin(), adopted.end(),
                     [&](pid_t child) { return child == root || !BearsMarkOf(root, child); }),
      adopted.end());
  return adopted;
}

bool Runs(pid_t process) {
  std::ifstream file(FolderOf(process) + "/stat");
  std::string text;
  std::getline(file, text);
  // "PID (NAME) STATE ...", and a name may hold anything.
  const size_t name_end = text.rfind(") ");
  return name_end != std::string::npos && text[name_end + 2] != 'Z' && text[name_end + 2] != 'X';
}

void WaitForEnd(pid_t process) {
  // One that asked to be traced stops before it ends.
  int status = 0;
  while (waitpid(process, &status, 0) == process ? WIFSTOPPED(status) : errno == EINTR) {
  }
}

}  // namespace

void AdoptOrphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void SetTreeMark() {
  const rlim_t mark = static_cast<rlim_t>(getpid());
  const rlimit limit = {mark, mark};
  setrlimit(RLIMIT_RTTIME, &limit);
}

int64_t ResidentBytes(pid_t root) {
  std::ifstream file(FolderOf(root) + "/statm");
  int64_t all = 0, resident = 0;
  return file >> all >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

int ThreadsBesides(pid_t root) {
  return std::max(0, static_cast<int>(NumbersIn(FolderOf(root) + "/task").size()) - 1);
}

int ProcessesBesides(pid_t root) {
  std::vector<pid_t> processes = ChildrenOf(root);
  for (const pid_t adopted : AdoptedFrom(root)) processes.push_back(adopted);
  return static_cast<int>(std::count_if(processes.begin(), processes.end(), Runs));
}

void EndTree(pid_t root, bool reaped) {
  kill(-root, SIGKILL);
  if (!reaped) {
    kill(root, SIGKILL);
    WaitForEnd(root);
  }
  // Their children come to this process as they end. A limit, for one that forks faster than it is
  // ended.
  for (int round = 0; round < 1000; ++round) {
    const std::vector<pid_t> adopted = AdoptedFrom(root);
    if (adopted.empty()) return;
    for (const pid_t process : adopted) {
      kill(process, SIGKILL);
      WaitForEnd(process);
    }
  }
}

int TasksOfThisUser() {
  int count = 0;
  for (const pid_t process : NumbersIn("/proc")) {
    struct stat info;
    if (stat(FolderOf(process).c_str(), &info) != 0 || info.st_uid != geteuid()) continue;
    count += 1 + ThreadsBesides(process);
  }
  return count;
}

}  // namespace lemma::tools::grading
