#include "tools/folder_lock.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

std::string NewFolder(const char* name) {
  const std::string folder = testing::TempDir() + "/" + name;
  std::filesystem::create_directory(folder);
  return folder;
}

TEST(FolderLock, KeepsOutASecond) {
  const std::string folder = NewFolder("one");
  const absl::StatusOr<FolderLock> first = FolderLock::Take(folder);
  ASSERT_TRUE(first.ok()) << first.status();
  const absl::StatusOr<FolderLock> second = FolderLock::Take(folder);
  EXPECT_TRUE(absl::IsUnavailable(second.status()));
  EXPECT_THAT(std::string(second.status().message()),
              testing::EndsWith("/one is in use by another program; wait until it ends, or use "
                                "another folder"));
  EXPECT_TRUE(FolderLock::Take(NewFolder("other")).ok());
}

TEST(FolderLock, IsFreeAgainOnceItsHolderIsGone) {
  const std::string folder = NewFolder("two");
  {
    absl::StatusOr<FolderLock> lock = FolderLock::Take(folder);
    const FolderLock moved = *std::move(lock);
    EXPECT_FALSE(FolderLock::Take(folder).ok());
  }
  EXPECT_TRUE(FolderLock::Take(folder).ok());
}

TEST(FolderLock, LeavesNothingInTheFolder) {
  const std::string folder = NewFolder("three");
  const absl::StatusOr<FolderLock> lock = FolderLock::Take(folder);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(FolderLock, NamesAFolderThatIsNotThere) {
  EXPECT_THAT(std::string(FolderLock::Take("no/such").status().message()),
              testing::HasSubstr("cannot open the folder no/such: No such file or directory"));
}

}  // namespace
}  // namespace lemma::tools
