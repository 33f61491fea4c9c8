#include "tools/subprocess.h"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

extern char** environ;

namespace lemma::tools {
namespace {

// A file in memory. Files rather than pipes: neither side ever has to wait for the other.
class MemoryFile {
 public:
  MemoryFile() : descriptor_(memfd_create("lemma", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }

  bool Fill(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t count = write(descriptor_, text.data() + done, text.size() - done);
      if (count <= 0) return false;
      done += static_cast<size_t>(count);
    }
    return lseek(descriptor_, 0, SEEK_SET) == 0;
  }

  std::string Contents() const {
    std::string text;
    char buffer[1 << 16];
    ssize_t count = 0;
    while ((count = pread(descriptor_, buffer, sizeof(buffer), text.size())) > 0) {
      text.append(buffer, static_cast<size_t>(count));
    }
    return text;
  }

 private:
  const int descriptor_;
};

int Spawn(const std::vector<std::string>& command, const MemoryFile (&streams)[3], pid_t* child) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (int i = 0; i < 3; ++i)
    posix_spawn_file_actions_adddup2(&actions, streams[i].descriptor(), i);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int error =
      posix_spawnp(child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

absl::StatusOr<ProcessResult> RunProgram(const std::vector<std::string>& command,
                                         const std::string& input) {
  MemoryFile streams[3];
  if (!streams[0].Fill(input) || streams[1].descriptor() < 0 || streams[2].descriptor() < 0) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory to run ", command[0]));
  }
  pid_t child = 0;
  if (const int error = Spawn(command, streams, &child); error != 0) {
    return absl::Status(absl::ErrnoToStatusCode(error),
                        absl::StrCat("cannot run ", command[0], ": ", strerror(error)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return absl::InternalError(absl::StrCat("lost sight of ", command[0]));
  }
  ProcessResult result;
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.output = streams[1].Contents();
  result.errors = streams[2].Contents();
  return result;
}

}  // namespace lemma::tools
