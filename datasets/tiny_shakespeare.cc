#include "datasets/tiny_shakespeare.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "datasets/download.h"
#include "datasets/sha256.h"
#include "datasets/text_dataset.h"

namespace lemma::datasets {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr int64_t kTrainingPartBytes = 1003854;
constexpr char kTrainingPartSha256[] =
    "a9e24e23a1ec77744dad26844bfd5a09b6e041954e1eef0000e7f24cba6db735";
constexpr absl::string_view kFirstLines = "First Citizen:\nBefore we proceed any further";

bool IsRight(absl::string_view text) {
  return static_cast<int64_t>(text.size()) == kTinyShakespeareBytes &&
         Sha256(text) == kTinyShakespeareSha256;
}

bool IsWebPage(absl::string_view text) {
  const std::string start =
      absl::AsciiStrToLower(absl::StripLeadingAsciiWhitespace(text.substr(0, 1000)));
  return absl::StartsWith(start, "<!doctype") || absl::StartsWith(start, "<html") ||
         absl::StartsWith(start, "<head") || absl::StartsWith(start, "<?xml");
}

std::string WhatIsWrong(absl::string_view text) {
  const int64_t size = static_cast<int64_t>(text.size());
  if (text.empty()) return "it is empty";
  if (IsWebPage(text)) {
    return "it is a web page, as a network that wants a log-in sends in place of a file";
  }
  if (absl::StartsWith(text, kByteOrderMark)) {
    return "it starts with a byte order mark (an editor put it there)";
  }
  if (absl::StrContains(text.substr(0, 10000), "\r\n")) {
    const std::string unix_ends = absl::StrReplaceAll(text, {{"\r\n", "\n"}});
    return IsRight(unix_ends)
               ? "its line ends are CRLF, those of Windows, but it is right otherwise"
               : "its line ends are CRLF, those of Windows";
  }
  if (size + 1 == kTinyShakespeareBytes && IsRight(absl::StrCat(text, "\n"))) {
    return "its last newline is lost, but it is right otherwise";
  }
  if (size - 1 == kTinyShakespeareBytes && IsRight(text.substr(0, size - 1))) {
    return "it has one byte too many at its end";
  }
  if (size == kTrainingPartBytes && Sha256(text) == kTrainingPartSha256) {
    return "it is the training part alone, the first 90 % of the text";
  }
  if (size < kTinyShakespeareBytes && absl::StartsWith(text, kFirstLines)) {
    return "it was cut off, or lines are missing";
  }
  return "it is another text";
}

}  // namespace

absl::Status CheckTinyShakespeare(absl::string_view text) {
  if (IsRight(text)) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      WhatIsWrong(text), " (", text.size(), " bytes with sha256 ", Sha256(text).substr(0, 8),
      "...; tiny Shakespeare has ", kTinyShakespeareBytes, " bytes with sha256 ",
      absl::string_view(kTinyShakespeareSha256).substr(0, 8), "...)"));
}

absl::StatusOr<FoundText> FindTinyShakespeare(const std::string& data_dir) {
  for (const char* name : {"/tinyshakespeare/input.txt", "/input.txt"}) {
    const std::string path = absl::StrCat(data_dir, name);
    absl::StatusOr<std::string> text = ReadTextFile(path);
    if (absl::IsNotFound(text.status())) continue;
    if (!text.ok()) return absl::FailedPreconditionError(text.status().message());
    if (absl::Status status = CheckTinyShakespeare(*text); !status.ok()) {
      return absl::FailedPreconditionError(absl::StrCat(
          "'", path, "' is not tiny Shakespeare: ", status.message(),
          "; delete or rename it so that the text is downloaded, or train on it as it is with "
          "--dataset=text:",
          path));
    }
    return FoundText{path, *std::move(text)};
  }
  return absl::NotFoundError(
      absl::StrCat("the folder '", data_dir, "' has no tinyshakespeare/input.txt or input.txt"));
}

absl::StatusOr<FoundText> DownloadTinyShakespeare(
    const std::string& data_dir, const std::string& url,
    const std::function<void(int64_t done_bytes, int64_t total_bytes)>& progress,
    int connect_timeout_s) {
  FoundText found{absl::StrCat(data_dir, "/tinyshakespeare/input.txt"), ""};
  DownloadOptions options;
  options.connect_timeout_s = connect_timeout_s;
  options.progress = progress;
  options.check = [&](const std::string& part_path) {
    absl::StatusOr<std::string> text = ReadTextFile(part_path);
    if (!text.ok()) return text.status();
    found.text = *std::move(text);
    const absl::Status right = CheckTinyShakespeare(found.text);
    return right.ok() ? right
                      : absl::FailedPreconditionError(
                            absl::StrCat("what arrived is not it: ", right.message()));
  };
  const absl::Status status = Download(url, found.path, options);
  if (status.ok()) return found;
  return absl::UnavailableError(
      absl::StrCat("tiny Shakespeare could not be downloaded from ", url, ": ", status.message(),
                   "; name another address with --data_url=URL, a folder that has input.txt with "
                   "--data_dir=DIR, "
                   "or train on this library's own plays with --dataset=plays"));
}

}  // namespace lemma::datasets
