// Tiny Shakespeare: 1,115,394 characters of plays, the course's text. It is not part of this
// library; it is found in a data folder or downloaded to it, and always checked.
#ifndef LEMMA_DATASETS_TINY_SHAKESPEARE_H_
#define LEMMA_DATASETS_TINY_SHAKESPEARE_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lemma::datasets {

// The address that the course gives.
inline constexpr char kTinyShakespeareUrl[] =
    "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt";

inline constexpr char kTinyShakespeareSha256[] =
    "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed";

inline constexpr int64_t kTinyShakespeareBytes = 1115394;

// OkStatus for the text itself, told by its sha256. Else the error says what is wrong with it; it
// knows Windows line ends, a byte order mark, a last newline lost or added, a web page in its
// place, the training part alone, and a copy that was cut off.
absl::Status CheckTinyShakespeare(absl::string_view text);

struct FoundText {
  std::string path;
  std::string text;
};

// Looks for DATA_DIR/tinyshakespeare/input.txt, then for DATA_DIR/input.txt. NotFound if neither is
// there; FailedPrecondition, which names the file and the reason, if what is there is another text.
absl::StatusOr<FoundText> FindTinyShakespeare(const std::string& data_dir);

// Downloads it to DATA_DIR/tinyshakespeare/input.txt, which appears only when it is whole and
// right. The error is one sentence that ends with the ways out. `progress` as in download.h.
absl::StatusOr<FoundText> DownloadTinyShakespeare(
    const std::string& data_dir, const std::string& url = kTinyShakespeareUrl,
    const std::function<void(int64_t done_bytes, int64_t total_bytes)>& progress = nullptr,
    int connect_timeout_s = 30);

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_TINY_SHAKESPEARE_H_
