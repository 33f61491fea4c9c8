#include "tools/subprocess.h"

#include <signal.h>

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

TEST(RunProgram, PassesInputAndReturnsOutput) {
  const std::string large(3'000'000, 'x');
  const absl::StatusOr<ProcessResult> result = RunProgram({"cat"}, large);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->exit_status, 0);
  EXPECT_EQ(result->output, large);
  EXPECT_EQ(result->errors, "");
}

TEST(RunProgram, KeepsErrorsAndExitStatusApart) {
  const absl::StatusOr<ProcessResult> result =
      RunProgram({"sh", "-c", "echo out; echo \"$0\" >&2; exit 3", "a b"}, "");
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->exit_status, 3);
  EXPECT_EQ(result->output, "out\n");
  EXPECT_EQ(result->errors, "a b\n");
}

TEST(RunProgram, ASignalIsAnExitStatus) {
  EXPECT_EQ(RunProgram({"sh", "-c", "kill -9 $$"}, "")->exit_status, 128 + SIGKILL);
}

TEST(RunProgram, AMissingProgramIsNotFound) {
  const absl::Status status = RunProgram({"no-such-program"}, "").status();
  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_EQ(status.message(), "cannot run no-such-program: No such file or directory");
}

TEST(RunProgram, TheProgramHasAProcessGroupOfItsOwn) {
  const absl::StatusOr<ProcessResult> result =
      RunProgram({"sh", "-c", "test $(cut -d' ' -f5 /proc/$$/stat) = $$"}, "");
  EXPECT_EQ(result->exit_status, 0);
}

}  // namespace
}  // namespace lemma::tools
