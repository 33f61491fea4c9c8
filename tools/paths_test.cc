#include "tools/paths.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

class PathsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setenv("BUILD_WORKING_DIRECTORY", "/home/user/project", 1);
    setenv("HOME", "/home/user", 1);
    folder_ = ::testing::TempDir() + "/paths_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(folder_);
  }
  std::string folder_;
};

TEST_F(PathsTest, RelativePathsAreTheUsers) {
  EXPECT_EQ(ResolvePath("runs/course-1"), "/home/user/project/runs/course-1");
  EXPECT_EQ(ResolvePath("./a/../b"), "/home/user/project/b");
  EXPECT_EQ(ResolvePath("../b"), "/home/user/b");
  EXPECT_EQ(ResolvePath("~x"), "/home/user/project/~x");
}

TEST_F(PathsTest, OtherPathsStayAsTheyAre) {
  EXPECT_EQ(ResolvePath("/tmp/x"), "/tmp/x");
  EXPECT_EQ(ResolvePath(""), "");
  unsetenv("BUILD_WORKING_DIRECTORY");
  EXPECT_EQ(ResolvePath("runs/course-1"), "runs/course-1");
}

TEST_F(PathsTest, ATildeIsHome) {
  EXPECT_EQ(ResolvePath("~"), "/home/user");
  EXPECT_EQ(ResolvePath("~/data"), "/home/user/data");
  unsetenv("HOME");
  EXPECT_EQ(ResolvePath("~/data"), "/home/user/project/~/data");
}

TEST_F(PathsTest, MessagesShowWhatTheUserWouldType) {
  EXPECT_EQ(DisplayPath("/home/user/project/runs/course-1"), "runs/course-1");
  EXPECT_EQ(DisplayPath("/home/user/other"), "/home/user/other");
  EXPECT_EQ(DisplayPath("/home/user/projects"), "/home/user/projects");
  EXPECT_EQ(DisplayPath("runs"), "runs");
}

TEST_F(PathsTest, RunsAreNumberedOnFromTheLargest) {
  EXPECT_EQ(CreateRunFolder(folder_, "course").value(), folder_ + "/course-1");
  EXPECT_EQ(CreateRunFolder(folder_, "course").value(), folder_ + "/course-2");
  EXPECT_EQ(CreateRunFolder(folder_, "gpt2").value(), folder_ + "/gpt2-1");
  for (const char* name :
       {"/course-9", "/course-x", "/course-10-old", "/course-99999999999999999"}) {
    std::filesystem::create_directory(folder_ + name);
  }
  EXPECT_EQ(CreateRunFolder(folder_, "course").value(), folder_ + "/course-10");
  std::ofstream(folder_ + "/course-11") << "a file";
  EXPECT_EQ(CreateRunFolder(folder_, "course").value(), folder_ + "/course-12");
  EXPECT_TRUE(std::filesystem::is_directory(folder_ + "/course-12"));
}

TEST_F(PathsTest, RunsThatStartTogetherGetFoldersOfTheirOwn) {
  std::vector<std::string> paths(16);
  std::vector<std::thread> threads;
  for (std::string& path : paths) {
    threads.emplace_back([&path, this] { path = CreateRunFolder(folder_, "course").value(); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<std::string>(paths.begin(), paths.end()).size(), paths.size());
}

TEST_F(PathsTest, AFileInTheWayIsNamed) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/file") << "x";
  EXPECT_EQ(CreateFolders(folder_ + "/file/runs").message(),
            "cannot make the folder " + folder_ + "/file/runs: Not a directory");
  EXPECT_FALSE(CreateRunFolder(folder_ + "/file", "course").ok());
  EXPECT_TRUE(CreateFolders(folder_).ok());
}

}  // namespace
}  // namespace lemma::tools
