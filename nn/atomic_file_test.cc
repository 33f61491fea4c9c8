#include "nn/atomic_file.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::nn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::vector<std::string> NamesIn(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

class AtomicFileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "/atomic_file_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
    path_ = folder_ + "/checkpoint";
  }
  std::string folder_;
  std::string path_;
};

TEST_F(AtomicFileTest, AppendsArriveInOrderAtCommit) {
  absl::StatusOr<AtomicFile> file = AtomicFile::Open(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_TRUE(file->Append("one ").ok());
  EXPECT_TRUE(file->Append("").ok());
  EXPECT_TRUE(file->Append("two").ok());
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadAll(path_), "one two");
  EXPECT_THAT(NamesIn(folder_), ElementsAre("checkpoint"));
}

TEST_F(AtomicFileTest, TheOldFileIsWholeUntilCommit) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old").ok());
  absl::StatusOr<AtomicFile> file = AtomicFile::Open(path_);
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->Append("new").ok());
  EXPECT_EQ(ReadAll(path_), "old");
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_EQ(ReadAll(path_), "new");
}

TEST_F(AtomicFileTest, WithoutCommitNothingChangesAndNothingIsLeft) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old").ok());
  {
    absl::StatusOr<AtomicFile> file = AtomicFile::Open(path_);
    ASSERT_TRUE(file->Append("half of the n").ok());
  }
  EXPECT_EQ(ReadAll(path_), "old");
  EXPECT_THAT(NamesIn(folder_), ElementsAre("checkpoint"));
}

TEST_F(AtomicFileTest, MovesKeepOneOwner) {
  absl::StatusOr<AtomicFile> opened = AtomicFile::Open(path_);
  ASSERT_TRUE(opened.ok());
  AtomicFile file = *std::move(opened);
  EXPECT_FALSE(opened->Append("x").ok());
  EXPECT_TRUE(file.Append("moved").ok());
  EXPECT_TRUE(file.Commit().ok());
  EXPECT_EQ(ReadAll(path_), "moved");
}

TEST_F(AtomicFileTest, NothingFollowsCommit) {
  absl::StatusOr<AtomicFile> file = AtomicFile::Open(path_);
  ASSERT_TRUE(file->Commit().ok());
  EXPECT_THAT(std::string(file->Append("x").message()), HasSubstr("committed already"));
  EXPECT_THAT(std::string(file->Commit().message()), HasSubstr("committed already"));
  EXPECT_EQ(ReadAll(path_), "");
}

// Writes `bytes` over path_ in a child process with the file size limited to 1,000 bytes, as on a
// disk that is full after a thousand bytes: write() is short once, then fails.
std::string MessageUnderSizeLimit(const std::string& path, const std::string& bytes) {
  int pipe_ends[2];
  EXPECT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit = {1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const absl::Status status = WriteFileAtomically(path, bytes);
    const std::string text = status.ok() ? "written" : std::string(status.message());
    const ssize_t ignored = write(pipe_ends[1], text.data(), text.size());
    _exit(ignored < 0 ? 1 : 0);
  }
  close(pipe_ends[1]);
  std::string message(4096, '\0');
  message.resize(std::max<ssize_t>(0, read(pipe_ends[0], message.data(), message.size())));
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "wait status " << status;
  return message;
}

TEST_F(AtomicFileTest, ALimitReachedHalfwayKeepsTheOldFile) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old").ok());
  EXPECT_EQ(MessageUnderSizeLimit(path_, std::string(5000, 'n')),
            "cannot write " + path_ +
                ": File too large (after 1000 bytes); the file that was there is unchanged");
  EXPECT_EQ(ReadAll(path_), "old");
  EXPECT_THAT(NamesIn(folder_), ElementsAre("checkpoint"));
}

TEST_F(AtomicFileTest, ALimitReachedHalfwayLeavesNoPartOfANewFile) {
  EXPECT_THAT(MessageUnderSizeLimit(path_, std::string(5000, 'n')),
              HasSubstr("(after 1000 bytes); no part of it is left behind"));
  EXPECT_THAT(NamesIn(folder_), ElementsAre());
  EXPECT_EQ(MessageUnderSizeLimit(path_, std::string(1000, 'n')), "written");
}

// A file system of 64 KiB, in a mount namespace of a child's own.
TEST_F(AtomicFileTest, AFullDiskKeepsTheOldFile) {
  constexpr int kSkip = 77;
  const pid_t child = fork();
  if (child == 0) {
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) _exit(kSkip);
    mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    if (mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=64k") != 0) _exit(kSkip);
    if (!WriteFileAtomically(path_, "old").ok()) _exit(1);
    const absl::Status status = WriteFileAtomically(path_, std::string(200000, 'n'));
    if (status.code() != absl::StatusCode::kResourceExhausted) _exit(2);
    if (status.message().find("No space left on device") == absl::string_view::npos) _exit(3);
    if (ReadAll(path_) != "old" || NamesIn(folder_).size() != 1) _exit(4);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kSkip) GTEST_SKIP() << "this user may not mount a small file system";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(AtomicFileTest, FoldersAndDevicesAreRefused) {
  EXPECT_EQ(AtomicFile::Open(folder_).status().message(),
            "cannot write " + folder_ + ": a folder of that name is in the way; name a file");
  EXPECT_THAT(std::string(AtomicFile::Open("/dev/null").status().message()), HasSubstr("a device"));
  EXPECT_THAT(std::string(AtomicFile::Open("").status().message()), HasSubstr("without a name"));
}

TEST_F(AtomicFileTest, AMissingFolderIsNamed) {
  EXPECT_EQ(AtomicFile::Open(folder_ + "/none/x").status().message(),
            "cannot write " + folder_ + "/none/x (no file can be made in the folder " + folder_ +
                "/none): No such file or directory");
}

TEST_F(AtomicFileTest, ALinkStaysAndItsTargetIsReplaced) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old").ok());
  const std::string link = folder_ + "/link";
  std::filesystem::create_symlink("checkpoint", link);
  ASSERT_TRUE(WriteFileAtomically(link, "new").ok());
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(ReadAll(path_), "new");
}

TEST_F(AtomicFileTest, PermissionsOfTheOldFileAreKept) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old").ok());
  ASSERT_EQ(chmod(path_.c_str(), 0640), 0);
  ASSERT_TRUE(WriteFileAtomically(path_, "new").ok());
  struct stat info;
  ASSERT_EQ(stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0640u);
}

TEST_F(AtomicFileTest, AnOpenReaderKeepsTheOldBytes) {
  ASSERT_TRUE(WriteFileAtomically(path_, "old").ok());
  std::ifstream reader(path_);
  ASSERT_TRUE(WriteFileAtomically(path_, "new").ok());
  std::string text;
  reader >> text;
  EXPECT_EQ(text, "old");
}

}  // namespace
}  // namespace lemma::nn
