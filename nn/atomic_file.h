// Files that are replaced whole or not at all.
//
// Bytes go to a temporary file in the folder of the final one. Commit() brings them to the disk,
// then renames the temporary over the final name, so that at every moment, through a full disk, a
// crash or a lost power line, the name shows either the old file or the new one:
//
//   absl::StatusOr<nn::AtomicFile> file = nn::AtomicFile::Open("runs/course-1/checkpoint");
//   if (!file.ok()) return file.status();
//   if (absl::Status s = file->Append(header); !s.ok()) return s;
//   if (absl::Status s = file->Append(weights); !s.ok()) return s;
//   return file->Commit();
//
// A file that is destroyed without a successful Commit() removes its temporary and leaves the old
// file as it was. Readers that have the old file open or mapped keep the old bytes. Only a process
// that is killed leaves a temporary behind: `.lemma-PID-N.tmp` beside the final file.
#ifndef LEMMA_NN_ATOMIC_FILE_H_
#define LEMMA_NN_ATOMIC_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lemma::nn {

class AtomicFile {
 public:
  // Creates the temporary file. The folder must exist. Where `path` is a symbolic link, its target
  // is replaced and the link stays. What exists there and is no regular file (a folder, a device)
  // is refused. An existing file passes its permissions on; a new one has the usual ones.
  static absl::StatusOr<AtomicFile> Open(const std::string& path);

  AtomicFile(AtomicFile&& other) noexcept;
  AtomicFile& operator=(AtomicFile&& other) noexcept;
  ~AtomicFile();

  // Writes all of `bytes` at the end. Unbuffered: append large pieces. The first error removes the
  // temporary and is what every later call returns.
  absl::Status Append(absl::string_view bytes);

  // Syncs the file, renames it to its final name, syncs the folder. May be called once; nothing
  // can be appended afterwards.
  absl::Status Commit();

 private:
  AtomicFile() = default;
  absl::Status Failed(absl::string_view action, int error);
  void Discard();

  std::string path_;        // as the user gave it, for messages
  std::string final_path_;  // path_ with links resolved
  std::string temporary_path_;
  int descriptor_ = -1;
  int64_t written_bytes_ = 0;
  absl::Status status_;
};

// Open, Append and Commit in one call.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view bytes);

}  // namespace lemma::nn

#endif  // LEMMA_NN_ATOMIC_FILE_H_
