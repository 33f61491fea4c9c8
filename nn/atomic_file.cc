#include "nn/atomic_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"

namespace lemma::nn {
namespace {

// Linux writes at most 0x7ffff000 bytes in one call; smaller pieces also keep each call short.
constexpr size_t kPieceBytes = size_t{1} << 28;

absl::Status ErrnoStatus(int error, absl::string_view text) {
  return absl::Status(absl::ErrnoToStatusCode(error), absl::StrCat(text, ": ", strerror(error)));
}

// A write beyond the process's file size limit raises SIGXFSZ, which would end the process. While
// one of these lives the signal is held back, so that write() just fails with EFBIG.
class HoldFileSizeSignal {
 public:
  HoldFileSizeSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &old_mask_);
  }
  ~HoldFileSizeSignal() {
    if (sigismember(&old_mask_, SIGXFSZ) == 1) return;
    const timespec no_wait = {};
    while (sigtimedwait(&signal_, nullptr, &no_wait) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_SETMASK, &old_mask_, nullptr);
  }
  HoldFileSizeSignal(const HoldFileSizeSignal&) = delete;
  HoldFileSizeSignal& operator=(const HoldFileSizeSignal&) = delete;

 private:
  sigset_t signal_;
  sigset_t old_mask_;
};

// Creates a file that did not exist. Sets `path` and returns the descriptor, or -1 and errno.
int CreateTemporary(const std::string& folder, std::string& path) {
  static std::atomic<int64_t> counter = 0;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    path = absl::StrCat(folder, "/.lemma-", getpid(), "-", counter++, ".tmp");
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
  return -1;
}

// Brings a rename in `folder` to the disk. File systems that cannot sync a folder are excused.
int SyncFolder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno == EACCES ? 0 : errno;
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return error == EINVAL || error == EROFS ? 0 : error;
}

std::string FolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

absl::StatusOr<AtomicFile> AtomicFile::Open(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("cannot write a file without a name");
  AtomicFile file;
  file.path_ = path;
  file.final_path_ = path;
  struct stat link_info;
  if (lstat(path.c_str(), &link_info) == 0 && S_ISLNK(link_info.st_mode)) {
    std::error_code error;
    file.final_path_ = std::filesystem::weakly_canonical(path, error).string();
    if (error) return ErrnoStatus(error.value(), absl::StrCat("cannot follow the link ", path));
  }

  struct stat old_info;
  const bool replaces = stat(file.final_path_.c_str(), &old_info) == 0;
  if (replaces && !S_ISREG(old_info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot write ", path, ": a ",
                                                   S_ISDIR(old_info.st_mode) ? "folder" : "device",
                                                   " of that name is in the way; name a file"));
  }
  const std::string folder = FolderOf(file.final_path_);
  file.descriptor_ = CreateTemporary(folder, file.temporary_path_);
  if (file.descriptor_ < 0) {
    const int error = errno;
    return ErrnoStatus(error, absl::StrCat("cannot write ", path,
                                           " (no file can be made in the folder ", folder, ")"));
  }
  if (replaces && fchmod(file.descriptor_, old_info.st_mode & 07777) != 0) {
    return file.Failed("set the permissions of", errno);
  }
  return file;
}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept { *this = std::move(other); }

AtomicFile& AtomicFile::operator=(AtomicFile&& other) noexcept {
  if (this == &other) return *this;
  Discard();
  path_ = std::move(other.path_);
  final_path_ = std::move(other.final_path_);
  temporary_path_ = std::move(other.temporary_path_);
  descriptor_ = std::exchange(other.descriptor_, -1);
  written_bytes_ = other.written_bytes_;
  status_ = std::exchange(other.status_, absl::FailedPreconditionError("the file was moved from"));
  return *this;
}

AtomicFile::~AtomicFile() { Discard(); }

absl::Status AtomicFile::Append(absl::string_view bytes) {
  if (!status_.ok()) return status_;
  const HoldFileSizeSignal hold;
  while (!bytes.empty()) {
    const ssize_t count =
        write(descriptor_, bytes.data(), std::min<size_t>(bytes.size(), kPieceBytes));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Failed("write", count < 0 ? errno : ENOSPC);
    written_bytes_ += count;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

absl::Status AtomicFile::Commit() {
  if (!status_.ok()) return status_;
  if (fsync(descriptor_) != 0) return Failed("write", errno);
  if (close(std::exchange(descriptor_, -1)) != 0) return Failed("write", errno);
  if (rename(temporary_path_.c_str(), final_path_.c_str()) != 0) return Failed("rename", errno);
  temporary_path_.clear();
  status_ = absl::FailedPreconditionError(absl::StrCat(path_, " is committed already"));
  if (const int error = SyncFolder(FolderOf(final_path_)); error != 0) {
    return ErrnoStatus(error, absl::StrCat(path_, " is written, but its folder cannot be synced"));
  }
  return absl::OkStatus();
}

// Removes the temporary and makes the error the answer of every later call.
absl::Status AtomicFile::Failed(absl::string_view action, int error) {
  Discard();
  struct stat info;
  const bool has_old = stat(final_path_.c_str(), &info) == 0;
  status_ = absl::Status(absl::ErrnoToStatusCode(error),
                         absl::StrCat("cannot ", action, " ", path_, ": ", strerror(error),
                                      " (after ", written_bytes_, " bytes); ",
                                      has_old ? "the file that was there is unchanged"
                                              : "no part of it is left behind"));
  return status_;
}

void AtomicFile::Discard() {
  if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
  temporary_path_.clear();
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view bytes) {
  absl::StatusOr<AtomicFile> file = AtomicFile::Open(path);
  if (!file.ok()) return file.status();
  if (absl::Status status = file->Append(bytes); !status.ok()) return status;
  return file->Commit();
}

}  // namespace lemma::nn
