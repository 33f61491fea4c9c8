#include "datasets/download.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "datasets/loopback_server.h"

namespace lemma::datasets {
namespace {

namespace fs = std::filesystem;

class DownloadTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("download_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    path_ = (folder_ / "deep" / "file.txt").string();
  }

  static std::string Read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  // Nothing but what was there before: no file, no part file, no folder.
  void ExpectNothingLeft() { EXPECT_FALSE(fs::exists(folder_)); }

  fs::path folder_;
  std::string path_;
  DownloadOptions options_;
};

TEST_F(DownloadTest, WritesWhatTheServerSends) {
  const std::string body = std::string(300000, 'x') + '\0' + "\r\n\xFF";
  const LoopbackServer server(HttpAnswer(body));
  std::vector<int64_t> done, total;
  options_.progress = [&](int64_t d, int64_t t) {
    done.push_back(d);
    total.push_back(t);
  };
  std::string seen;
  options_.check = [&](const std::string& part) {
    EXPECT_EQ(part, path_ + ".part");
    EXPECT_FALSE(fs::exists(path_));
    seen = Read(part);
    return absl::OkStatus();
  };
  const absl::Status status = Download(server.Url(), path_, options_);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(Read(path_), body);
  EXPECT_EQ(seen, body);
  EXPECT_FALSE(fs::exists(path_ + ".part"));
  EXPECT_EQ(server.requests(), 1);
  ASSERT_FALSE(done.empty());
  EXPECT_EQ(done.back(), static_cast<int64_t>(body.size()));
  EXPECT_EQ(total.back(), static_cast<int64_t>(body.size()));
}

TEST_F(DownloadTest, TakesAFileUrl) {
  fs::create_directories(folder_);
  const std::string source = (folder_ / "source").string();
  std::ofstream(source) << "hello";
  ASSERT_TRUE(Download("file://" + source, path_, options_).ok());
  EXPECT_EQ(Read(path_), "hello");
}

TEST_F(DownloadTest, FollowsARedirection) {
  const LoopbackServer target(HttpAnswer("moved here"));
  const LoopbackServer server("HTTP/1.1 302 Found\r\nLocation: " + target.Url() +
                              "\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(Download(server.Url(), path_, options_).ok());
  EXPECT_EQ(Read(path_), "moved here");
}

TEST_F(DownloadTest, NamesTheAnswerOfAServerThatRefuses) {
  const LoopbackServer server("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope");
  EXPECT_EQ(Download(server.Url(), path_, options_).message(), "the server answered 404");
  ExpectNothingLeft();
}

TEST_F(DownloadTest, ATransferThatBreaksOffLeavesNothing) {
  const LoopbackServer server("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nonly this");
  const absl::Status status = Download(server.Url(), path_, options_);
  EXPECT_NE(status.message().find("991 bytes remaining"), std::string::npos) << status;
  ExpectNothingLeft();
}

TEST_F(DownloadTest, AFileThatFailsItsCheckLeavesNothing) {
  const LoopbackServer server(HttpAnswer("other"));
  options_.check = [](const std::string&) { return absl::DataLossError("not it"); };
  EXPECT_EQ(Download(server.Url(), path_, options_), absl::DataLossError("not it"));
  ExpectNothingLeft();
}

TEST_F(DownloadTest, AFailureLeavesAnOlderFileAsItWas) {
  fs::create_directories(fs::path(path_).parent_path());
  std::ofstream(path_) << "old";
  const LoopbackServer server("HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n");
  EXPECT_FALSE(Download(server.Url(), path_, options_).ok());
  EXPECT_EQ(Read(path_), "old");
}

TEST_F(DownloadTest, AFailureLeavesFoldersThatWereThere) {
  fs::create_directories(folder_);
  const LoopbackServer server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  EXPECT_FALSE(Download(server.Url(), path_, options_).ok());
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(DownloadTest, RefusesAFileThatIsTooLong) {
  const LoopbackServer server(HttpAnswer(std::string(5000, 'x')));
  options_.max_bytes = 4999;
  EXPECT_EQ(Download(server.Url(), path_, options_).message(),
            "the file is longer than the 4999 bytes that are accepted");
  ExpectNothingLeft();
}

TEST_F(DownloadTest, SaysThatNobodyAnswers) {
  std::string url;
  { url = LoopbackServer("").Url(); }  // the port is free again
  const absl::Status status = Download(url, path_, options_);
  EXPECT_NE(status.message().find("Couldn't connect"), std::string::npos) << status;
  ExpectNothingLeft();
}

TEST_F(DownloadTest, RefusesAddressesThatAreNotOfTheWebOrFiles) {
  EXPECT_FALSE(Download("ftp://127.0.0.1/x", path_, options_).ok());
  EXPECT_FALSE(Download("no address", path_, options_).ok());
  EXPECT_FALSE(Download("", path_, options_).ok());
  ExpectNothingLeft();
}

TEST_F(DownloadTest, NamesAFolderThatCannotBeMade) {
  fs::create_directories(folder_);
  std::ofstream(folder_ / "deep") << "a file where a folder should be";
  const absl::Status status = Download("file:///dev/null", path_, options_);
  EXPECT_NE(status.message().find("cannot make the folder '"), std::string::npos) << status;
}

TEST_F(DownloadTest, TwoDownloadsToOnePathExcludeEachOther) {
  fs::create_directories(fs::path(path_).parent_path());
  const int held = open((path_ + ".part").c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(flock(held, LOCK_EX), 0);
  const LoopbackServer server(HttpAnswer("x"));
  EXPECT_EQ(Download(server.Url(), path_, options_).message(),
            "another program is downloading to '" + path_ + ".part' right now");
  close(held);
  EXPECT_TRUE(Download(server.Url(), path_, options_).ok());
}

}  // namespace
}  // namespace lemma::datasets
