#include "tools/process_pool.h"

#include <signal.h>
#include <unistd.h>

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

using Results = std::map<size_t, absl::StatusOr<std::string>>;

Results ResultsOf(size_t count, int jobs, const std::function<std::string(size_t)>& work) {
  Results results;
  RunInProcesses(
      count, jobs, work,
      [&](size_t i, const absl::StatusOr<std::string>& result) { results.emplace(i, result); },
      [] { return false; });
  return results;
}

TEST(ProcessPool, HandsBackWhatEachProcessReturned) {
  const Results results = ResultsOf(7, 3, [](size_t i) {
    return absl::StrCat(i * i, std::string(i * 50000, 'x'));  // more than a pipe holds
  });
  ASSERT_EQ(results.size(), 7u);
  for (const auto& [i, result] : results) {
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(*result, absl::StrCat(i * i, std::string(i * 50000, 'x')));
  }
}

TEST(ProcessPool, EachProcessIsItsOwn) {
  std::set<std::string> pids = {absl::StrCat(getpid())};
  for (const auto& [i, result] : ResultsOf(4, 2, [](size_t) { return absl::StrCat(getpid()); })) {
    EXPECT_TRUE(pids.insert(*result).second);
  }
}

TEST(ProcessPool, SaysHowAProcessFailed) {
  const Results results = ResultsOf(4, 4, [](size_t i) -> std::string {
    if (i == 0) throw std::runtime_error("no wish to");
    if (i == 1) raise(SIGKILL);
    if (i == 2) _exit(3);
    return "";
  });
  EXPECT_EQ(results.at(0).status().message(), "no wish to");
  EXPECT_TRUE(absl::StrContains(results.at(1).status().message(), "signal 9"));
  EXPECT_TRUE(absl::StrContains(results.at(2).status().message(), "status 3"));
  EXPECT_TRUE(results.at(3).ok());
}

TEST(ProcessPool, EndsWhatRunsOnceItIsToStop) {
  std::set<size_t> ended;
  RunInProcesses(
      9, 2,
      [](size_t i) {
        while (i > 2) pause();
        return "";
      },
      [&](size_t i, const absl::StatusOr<std::string>&) { ended.insert(i); },
      [&] { return ended.size() == 3; });
  EXPECT_EQ(ended, (std::set<size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace lemma::tools
