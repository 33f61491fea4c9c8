#include "tools/bench/contestant.h"

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

// A worker that is a shell script: it answers each request with the next line of `answers`.
std::unique_ptr<Contestant> Scripted(const std::string& answers) {
  const std::string script =
      "while read -r request; do read -r line <&3 || exit; echo \"$line\"; "
      "done 3<<'END'\n" +
      answers + "\nEND\n";
  absl::StatusOr<std::unique_ptr<Contestant>> contestant =
      WorkerContestant::Start({"bash", "-c", script}, {}, [] {});
  EXPECT_TRUE(contestant.ok()) << contestant.status();
  return *std::move(contestant);
}

TEST(Contestant, ReadsTheAnswersOfAWorker) {
  const auto worker =
      Scripted(R"(ok {"name":"P","version":"2.1","mode":"eager","parameters":7,"idle_bytes":100})"
               "\n"
               R"(ok {"unit_ms":[1.5,2],"loss":4.25,"peak_bytes":300})");
  const absl::StatusOr<ContestantInfo> info = worker->Prepare({});
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->name, "P");
  EXPECT_EQ(info->version, "2.1");
  EXPECT_EQ(info->mode, "eager");
  EXPECT_EQ(info->parameters, 7);
  EXPECT_EQ(info->idle_bytes, 100);
  const absl::StatusOr<RunTimes> times = worker->Run(2);
  ASSERT_TRUE(times.ok()) << times.status();
  EXPECT_EQ(times->unit_ms, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(times->loss, 4.25);
  EXPECT_EQ(times->peak_bytes, 300);
}

TEST(Contestant, PassesOnWhatAWorkerRefuses) {
  const auto worker = Scripted("error there is no bfloat16 here");
  EXPECT_EQ(worker->Prepare({}).status().message(), "there is no bfloat16 here");
}

TEST(Contestant, AnswersThatAreNoneAreErrors) {
  for (const char* answer : {"hello", "ok", "ok {", "ok []", "ok {\"unit_ms\":[1]}",
                             "ok {\"unit_ms\":\"x\",\"loss\":1,\"peak_bytes\":2}"}) {
    EXPECT_FALSE(Scripted(answer)->Run(1).ok()) << answer;
  }
}

}  // namespace
}  // namespace lemma::tools::bench
