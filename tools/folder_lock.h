// A folder for one program at a time.
//
//   absl::StatusOr<FolderLock> lock = FolderLock::Take("runs/poems");
//   if (!lock.ok()) return lock.status();     // "runs/poems is in use by another program; ..."
//
// The folder itself is locked (flock), so nothing is left in it, and the system frees the lock when
// the program ends, however it ends. Who does not ask for the lock is not kept out: reading is
// free.
#ifndef LEMMA_TOOLS_FOLDER_LOCK_H_
#define LEMMA_TOOLS_FOLDER_LOCK_H_

#include <string>

#include "absl/status/statusor.h"

namespace lemma::tools {

// Holds the lock of a folder while it lives.
class FolderLock {
 public:
  // kUnavailable if another holds it, in this program or another. Where the file system has no
  // locks, the lock is granted and keeps nobody out.
  static absl::StatusOr<FolderLock> Take(const std::string& folder);

  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&& other) noexcept;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_FOLDER_LOCK_H_
