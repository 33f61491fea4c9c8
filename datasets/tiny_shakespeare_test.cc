#include "datasets/tiny_shakespeare.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "datasets/loopback_server.h"
#include "datasets/text_dataset.h"

namespace lemma::datasets {
namespace {

namespace fs = std::filesystem;

constexpr char kExpected[] = "; tiny Shakespeare has 1115394 bytes with sha256 86c4e6aa...)";

std::string Wrong(const std::string& text) {
  return std::string(CheckTinyShakespeare(text).message());
}

bool StartsWith(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::string EmptyFolder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("tiny_shakespeare_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder.string();
}

// Tests of the text itself; skipped where LEMMA_DATA names no folder that has it.
class RealTinyShakespeare : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("LEMMA_DATA");
    if (folder == nullptr) GTEST_SKIP() << "LEMMA_DATA is not set";
    const auto found = FindTinyShakespeare(folder);
    if (!found.ok()) GTEST_SKIP() << found.status().message();
    text_ = found->text;
  }

  std::string text_;
};

TEST_F(RealTinyShakespeare, IsAccepted) {
  EXPECT_TRUE(CheckTinyShakespeare(text_).ok());
  const TextDataset data = MakeTextDataset("tinyshakespeare", text_).value();
  EXPECT_EQ(data.tokenizer, CharTokenizer::Course());
  EXPECT_EQ(data.train.size(), 1003854u);
  EXPECT_EQ(data.val.size(), 111540u);
}

TEST_F(RealTinyShakespeare, KnowsTheWrongCopies) {
  EXPECT_EQ(Wrong(absl::StrReplaceAll(text_, {{"\n", "\r\n"}})).substr(0, 77),
            "its line ends are CRLF, those of Windows, but it is right otherwise (1155394 ");
  EXPECT_EQ(Wrong(text_.substr(0, 1115393)),
            absl::StrCat("its last newline is lost, but it is right otherwise (1115393 bytes with "
                         "sha256 53493bf3...",
                         kExpected));
  EXPECT_TRUE(StartsWith(Wrong(text_ + "\n"), "it has one byte too many at its end (1115395 "));
  EXPECT_TRUE(StartsWith(Wrong("\xEF\xBB\xBF" + text_), "it starts with a byte order mark"));
  EXPECT_TRUE(StartsWith(Wrong(text_.substr(0, 1003854)), "it is the training part alone"));
  EXPECT_TRUE(StartsWith(Wrong(text_.substr(0, 500000)), "it was cut off"));
  std::string changed = text_;
  changed[700000] ^= 1;
  EXPECT_TRUE(StartsWith(Wrong(changed), "it is another text (1115394 bytes"));
}

TEST_F(RealTinyShakespeare, IsDownloadedFromAMirror) {
  const std::string folder = EmptyFolder("mirror");
  const LoopbackServer server(HttpAnswer(text_));
  int64_t last = 0;
  const auto found =
      DownloadTinyShakespeare(folder, server.Url(), [&](int64_t done, int64_t) { last = done; });
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->path, folder + "/tinyshakespeare/input.txt");
  EXPECT_EQ(found->text, text_);
  EXPECT_EQ(last, 1115394);
  EXPECT_EQ(FindTinyShakespeare(folder)->path, found->path);
  EXPECT_FALSE(fs::exists(found->path + ".part"));
}

TEST_F(RealTinyShakespeare, IsFoundInTheFolderItselfToo) {
  const std::string folder = EmptyFolder("flat");
  std::ofstream(folder + "/input.txt", std::ios::binary) << text_;
  EXPECT_EQ(FindTinyShakespeare(folder)->path, folder + "/input.txt");
}

TEST(TinyShakespeare, OtherTextsAreRefusedWithAReason) {
  EXPECT_EQ(Wrong(""), absl::StrCat("it is empty (0 bytes with sha256 e3b0c442...", kExpected));
  EXPECT_TRUE(StartsWith(Wrong("To be"), "it is another text (5 bytes"));
  EXPECT_TRUE(StartsWith(Wrong("\n <!DOCTYPE html><html>log in</html>"), "it is a web page, as"));
  EXPECT_TRUE(StartsWith(Wrong("<HTML>"), "it is a web page, as"));
  EXPECT_TRUE(StartsWith(Wrong("a\r\nb\r\n"), "its line ends are CRLF, those of Windows (6 bytes"));
}

TEST(TinyShakespeare, AFolderWithoutItIsNotFound) {
  const std::string folder = EmptyFolder("none");
  EXPECT_EQ(FindTinyShakespeare(folder).status(),
            absl::NotFoundError(absl::StrCat("the folder '", folder,
                                             "' has no tinyshakespeare/input.txt or input.txt")));
  EXPECT_EQ(FindTinyShakespeare(folder + "/missing").status().code(), absl::StatusCode::kNotFound);
}

TEST(TinyShakespeare, AWrongCopyIsNamedAndLeftAlone) {
  const std::string folder = EmptyFolder("wrong");
  std::ofstream(folder + "/input.txt") << "a\r\nb\r\n";
  const absl::Status status = FindTinyShakespeare(folder).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  const std::string message(status.message());
  EXPECT_TRUE(StartsWith(
      message, "'" + folder + "/input.txt' is not tiny Shakespeare: its line ends are CRLF"))
      << message;
  EXPECT_NE(message.find("delete or rename it so that the text is downloaded, or train on it as it "
                         "is with --dataset=text:" +
                         folder + "/input.txt"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(folder + "/input.txt"));
}

TEST(TinyShakespeare, AFailedDownloadIsOneSentenceWithTheWaysOut) {
  const std::string folder = EmptyFolder("failed");
  const LoopbackServer server("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(
      DownloadTinyShakespeare(folder, server.Url()).status().message(),
      absl::StrCat("tiny Shakespeare could not be downloaded from ", server.Url(),
                   ": the server answered 404; name another address with --data_url=URL, a "
                   "folder that has input.txt with --data_dir=DIR, or train on this library's "
                   "own plays with --dataset=plays"));
}

TEST(TinyShakespeare, ALogInPageIsNotKept) {
  const std::string folder = EmptyFolder("page");
  const LoopbackServer server(HttpAnswer("<!doctype html><p>Welcome to our hotel"));
  const std::string message(DownloadTinyShakespeare(folder, server.Url()).status().message());
  EXPECT_NE(
      message.find("what arrived is not it: it is a web page, as a network that wants a log-in "
                   "sends in place of a file"),
      std::string::npos)
      << message;
  EXPECT_FALSE(fs::exists(folder + "/tinyshakespeare"));
}

TEST(TinyShakespeare, TheCheckSurvivesAnyBytes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(random() % 200, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    EXPECT_FALSE(CheckTinyShakespeare(bytes).ok());
  }
}

}  // namespace
}  // namespace lemma::datasets
