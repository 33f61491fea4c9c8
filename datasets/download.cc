#include "datasets/download.h"

#include <curl/curl.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace lemma::datasets {
namespace {

absl::Status FileError(absl::string_view what, const std::string& path, int code) {
  return absl::UnavailableError(
      absl::StrCat("cannot ", what, " '", path, "': ", std::strerror(code)));
}

// The part file, held under a lock; it is removed unless it got its final name.
class PartFile {
 public:
  explicit PartFile(std::string path) : path_(std::move(path)) {}
  ~PartFile() {
    if (file_ == nullptr) return;
    if (!renamed_) unlink(path_.c_str());
    std::fclose(file_);
  }

  absl::Status Open() {
    const int fd = open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) return FileError("write", path_, errno);
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 || ftruncate(fd, 0) != 0) {
      const bool locked = errno == EWOULDBLOCK;
      const absl::Status error = FileError("write", path_, errno);
      close(fd);
      return locked ? absl::UnavailableError(
                          absl::StrCat("another program is downloading to '", path_, "' right now"))
                    : error;
    }
    file_ = fdopen(fd, "wb");
    return absl::OkStatus();
  }

  std::FILE* file() { return file_; }

  absl::Status Flush() {
    if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) {
      return FileError("write", path_, errno);
    }
    return absl::OkStatus();
  }

  absl::Status Rename(const std::string& to) {
    if (std::rename(path_.c_str(), to.c_str()) != 0) return FileError("write", to, errno);
    renamed_ = true;
    return absl::OkStatus();
  }

 private:
  std::string path_;
  std::FILE* file_ = nullptr;
  bool renamed_ = false;
};

// Makes a folder and those above it, and removes those that it made and that are empty at its end.
class Folders {
 public:
  explicit Folders(const std::filesystem::path& folder) {
    std::error_code error;
    for (std::filesystem::path missing = folder;
         !missing.empty() && !std::filesystem::exists(missing, error);
         missing = missing.parent_path()) {
      missing_.push_back(missing);
    }
    if (!folder.empty()) std::filesystem::create_directories(folder, error_);
  }
  ~Folders() {
    for (const std::filesystem::path& folder : missing_) rmdir(folder.c_str());
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;

  const std::error_code& error() const { return error_; }

 private:
  std::vector<std::filesystem::path> missing_;  // deepest first
  std::error_code error_;
};

struct Transfer {
  const DownloadOptions* options;
  std::FILE* file;
  int64_t written = 0;
  bool too_long = false;
  int write_error = 0;
};

size_t OnData(char* data, size_t, size_t size, void* user) {
  Transfer& transfer = *static_cast<Transfer*>(user);
  if (transfer.written + static_cast<int64_t>(size) > transfer.options->max_bytes) {
    transfer.too_long = true;
    return 0;
  }
  if (std::fwrite(data, 1, size, transfer.file) != size) {
    transfer.write_error = errno;
    return 0;
  }
  transfer.written += size;
  return size;
}

int OnProgress(void* user, curl_off_t total, curl_off_t done, curl_off_t, curl_off_t) {
  const auto& progress = static_cast<Transfer*>(user)->options->progress;
  if (progress && done > 0) progress(done, total);
  return 0;
}

absl::Status Fetch(const std::string& url, const std::string& path, Transfer* transfer) {
  // Once for the whole program; initialising a static is safe from many threads.
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> handle(
      initialised == CURLE_OK ? curl_easy_init() : nullptr, curl_easy_cleanup);
  if (!handle) return absl::InternalError("libcurl does not start");
  CURL* curl = handle.get();
  char message[CURL_ERROR_SIZE] = "";
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, message);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https,file");
  curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_USERAGENT, "lemma");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT,
                   static_cast<long>(transfer->options->connect_timeout_s));
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME,
                   static_cast<long>(transfer->options->stall_timeout_s));
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, OnData);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
  curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, OnProgress);
  curl_easy_setopt(curl, CURLOPT_XFERINFODATA, transfer);

  const CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_OK) return absl::OkStatus();
  if (transfer->write_error != 0) return FileError("write", path, transfer->write_error);
  if (transfer->too_long) {
    return absl::UnavailableError(absl::StrCat(
        "the file is longer than the ", transfer->options->max_bytes, " bytes that are accepted"));
  }
  if (code == CURLE_HTTP_RETURNED_ERROR) {
    long answer = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer);
    return absl::UnavailableError(absl::StrCat("the server answered ", answer));
  }
  return absl::UnavailableError(message[0] != '\0' ? message : curl_easy_strerror(code));
}

}  // namespace

absl::Status Download(const std::string& url, const std::string& path,
                      const DownloadOptions& options) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  const Folders folders(folder);
  if (folders.error()) {
    return FileError("make the folder", folder.string(), folders.error().value());
  }

  const std::string part_path = path + ".part";
  PartFile part(part_path);
  if (absl::Status status = part.Open(); !status.ok()) return status;
  Transfer transfer{&options, part.file()};
  if (absl::Status status = Fetch(url, part_path, &transfer); !status.ok()) return status;
  if (absl::Status status = part.Flush(); !status.ok()) return status;
  if (options.progress) options.progress(transfer.written, transfer.written);
  if (options.check) {
    if (absl::Status status = options.check(part_path); !status.ok()) return status;
  }
  return part.Rename(path);
}

}  // namespace lemma::datasets
