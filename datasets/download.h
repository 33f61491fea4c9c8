// Fetching one file by its address.
#ifndef LEMMA_DATASETS_DOWNLOAD_H_
#define LEMMA_DATASETS_DOWNLOAD_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"

namespace lemma::datasets {

struct DownloadOptions {
  int connect_timeout_s = 30;
  // A transfer that delivers less than a byte a second for this long has failed.
  int stall_timeout_s = 30;
  // A longer file is refused while it arrives.
  int64_t max_bytes = int64_t{64} << 20;
  // Called now and then, and when all has arrived, with the bytes so far and all that are expected,
  // 0 if the server does not say.
  std::function<void(int64_t done_bytes, int64_t total_bytes)> progress;
  // Looks at the whole file before it gets its name; what it returns is returned.
  std::function<absl::Status(const std::string& part_path)> check;
};

// Writes what `url` (http, https or file) delivers to `path` + ".part", follows redirections, makes
// the folders that are missing, and gives the file its name when it is whole, checked and on the
// disk. After an error nothing of it is left, no folder either, and a file that was at `path` is as
// it was. The error says what happened, not what was fetched or why: "the server answered 404". Two
// downloads to one path exclude each other; the later one fails.
absl::Status Download(const std::string& url, const std::string& path,
                      const DownloadOptions& options);

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_DOWNLOAD_H_
