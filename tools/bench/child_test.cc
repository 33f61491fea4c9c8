#include "tools/bench/child.h"

#include <cstdlib>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace lemma::tools::bench {
namespace {

std::unique_ptr<Child> Shell(const std::string& script, const ChildEnvironment& environment = {}) {
  absl::StatusOr<std::unique_ptr<Child>> child = Child::Start({"sh", "-c", script}, environment);
  EXPECT_TRUE(child.ok()) << child.status();
  return *std::move(child);
}

absl::StatusOr<std::string> Ask(Child& child, const std::string& line) {
  return child.Ask(line, [] {});
}

TEST(Child, AnswersLineByLine) {
  const auto child = Shell("while read -r line; do echo \"<$line>\"; done");
  EXPECT_EQ(*Ask(*child, "one"), "<one>");
  EXPECT_EQ(*Ask(*child, "two words"), "<two words>");
  const std::string text(100000, 'x');
  EXPECT_EQ(*Ask(*child, text), "<" + text + ">");
}

TEST(Child, KeepsLinesThatComeTogetherApart) {
  const auto child = Shell("read -r line; printf 'a\\nb\\n'; read -r line; echo c; read -r line");
  EXPECT_EQ(*Ask(*child, "1"), "a");
  EXPECT_EQ(*Ask(*child, "2"), "b");
}

TEST(Child, TellsThatItWaits) {
  const auto child = Shell("read -r line; sleep 0.5; echo done");
  int calls = 0;
  EXPECT_EQ(*child->Ask("go", [&] { ++calls; }), "done");
  EXPECT_GE(calls, 1);
}

TEST(Child, AnEndedProgramIsAnErrorWithItsLastWords) {
  const auto child = Shell("read -r line; echo 'first' >&2; echo 'no such module' >&2; exit 1");
  const absl::StatusOr<std::string> answer = Ask(*child, "go");
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.status().message(), "it ended: no such module");
  EXPECT_FALSE(Ask(*child, "again").ok());
}

TEST(Child, AMissingProgramIsAnErrorThatNamesIt) {
  const absl::StatusOr<std::unique_ptr<Child>> child = Child::Start({"/no/such/program"}, {});
  ASSERT_FALSE(child.ok());
  EXPECT_NE(child.status().ToString().find("/no/such/program"), std::string::npos);
}

TEST(Child, GetsAChangedEnvironment) {
  setenv("LEMMA_TEST_GONE", "here", 1);
  setenv("LEMMA_TEST_CHANGED", "old", 1);
  const auto child =
      Shell("read -r line; echo \"$LEMMA_TEST_CHANGED,${LEMMA_TEST_GONE-unset},$LEMMA_TEST_NEW\"",
            {.set = {{"LEMMA_TEST_CHANGED", "new"}, {"LEMMA_TEST_NEW", "1"}},
             .unset = {"LEMMA_TEST_GONE"}});
  EXPECT_EQ(*Ask(*child, "go"), "new,unset,1");
}

}  // namespace
}  // namespace lemma::tools::bench
