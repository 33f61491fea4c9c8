#include "tools/flags.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

ABSL_FLAG(int64_t, steps, 2000, "optimizer steps");
ABSL_FLAG(int32_t, batch_size, 12, "sequences in a batch");
ABSL_FLAG(double, lr, 1e-3, "peak learning rate");
ABSL_FLAG(float, dropout, 0.1f, "probability with which an entry is dropped");
ABSL_FLAG(bool, overfit_one_batch, false,
          "train on one batch over and over, to see whether the model can learn at all");
ABSL_FLAG(std::string, preset, "course", "configuration to start from");
ABSL_FLAG(std::string, out, "", "folder of the run");
ABSL_FLAG(uint64_t, seed, 1337, "seed");

namespace lemma::tools {
namespace {

using ::testing::ExitedWithCode;

const Usage& TrainUsage() {
  static const auto* usage =
      new Usage{.program = "train",
                .summary = "Trains a GPT on a text.",
                .groups = {{"Model", {"preset", "dropout"}},
                           {"Training", {"steps", "batch_size", "lr", "overfit_one_batch"}}}};
  return *usage;
}

class FlagsTest : public ::testing::Test {
 protected:
  std::string ErrorOf(const std::vector<std::string>& arguments) {
    const absl::StatusOr<bool> help = ParseFlagsOrStatus(arguments, TrainUsage());
    return help.ok() ? (*help ? "help" : "") : std::string(help.status().message());
  }
  absl::FlagSaver saver_;
};

TEST_F(FlagsTest, ValuesFollowAnEqualsSignOrComeNext) {
  EXPECT_EQ(
      ErrorOf({"--steps=10", "--lr", "-0.5", "-batch_size=3", "--preset", "gpt2", "--seed=1"}), "");
  EXPECT_EQ(absl::GetFlag(FLAGS_steps), 10);
  EXPECT_EQ(absl::GetFlag(FLAGS_lr), -0.5);
  EXPECT_EQ(absl::GetFlag(FLAGS_batch_size), 3);
  EXPECT_EQ(absl::GetFlag(FLAGS_preset), "gpt2");
}

TEST_F(FlagsTest, ValuesMayBeEmptyOrHoldAnything) {
  EXPECT_EQ(ErrorOf({"--preset=", "--out=--a=b c"}), "");
  EXPECT_EQ(absl::GetFlag(FLAGS_preset), "");
  EXPECT_EQ(absl::GetFlag(FLAGS_out), "--a=b c");
}

TEST_F(FlagsTest, SwitchesGoOnAndOff) {
  EXPECT_EQ(ErrorOf({"--overfit_one_batch"}), "");
  EXPECT_TRUE(absl::GetFlag(FLAGS_overfit_one_batch));
  EXPECT_EQ(ErrorOf({"--nooverfit_one_batch"}), "");
  EXPECT_FALSE(absl::GetFlag(FLAGS_overfit_one_batch));
  EXPECT_EQ(ErrorOf({"--overfit_one_batch=true"}), "");
  EXPECT_TRUE(absl::GetFlag(FLAGS_overfit_one_batch));
  EXPECT_EQ(ErrorOf({"--overfit_one_batch=no"}), "");
  EXPECT_FALSE(absl::GetFlag(FLAGS_overfit_one_batch));
}

TEST_F(FlagsTest, TheLastOfSeveralCounts) {
  EXPECT_EQ(ErrorOf({"--steps=1", "--steps=2"}), "");
  EXPECT_EQ(absl::GetFlag(FLAGS_steps), 2);
}

TEST_F(FlagsTest, WhatWasGivenIsKnown) {
  EXPECT_EQ(ErrorOf({"--steps=2000", "--nooverfit_one_batch"}), "");
  EXPECT_TRUE(IsGiven(FLAGS_steps));
  EXPECT_TRUE(IsGiven("overfit_one_batch"));
  EXPECT_FALSE(IsGiven(FLAGS_lr));
  EXPECT_EQ(ErrorOf({}), "");
  EXPECT_FALSE(IsGiven(FLAGS_steps));
}

TEST_F(FlagsTest, WhatIsWrongIsOneSentence) {
  const struct {
    std::vector<std::string> arguments;
    std::string error;
  } kCases[] = {
      {{"--stpes=3"}, "unknown flag --stpes; did you mean --steps?"},
      {{"--batch-size=3"}, "unknown flag --batch-size; did you mean --batch_size?"},
      {{"--helpfull"}, "unknown flag --helpfull; --help lists the flags"},
      {{"--hlep"}, "unknown flag --hlep; did you mean --help?"},
      {{"--frobnicate"}, "unknown flag --frobnicate; --help lists the flags"},
      {{"--nooverfit_batch"}, "unknown flag --nooverfit_batch; did you mean --overfit_one_batch?"},
      {{"--="}, "unknown flag --; --help lists the flags"},
      {{"--steps=many"}, "--steps=many: expected a whole number within 64 bits"},
      {{"--steps=1.5"}, "--steps=1.5: expected a whole number within 64 bits"},
      {{"--steps=99999999999999999999"},
       "--steps=99999999999999999999: expected a whole number within 64 bits"},
      {{"--batch_size=3000000000"},
       "--batch_size=3000000000: expected a whole number within 32 bits"},
      {{"--seed=-1"}, "--seed=-1: expected a whole number from 0 on within 64 bits"},
      {{"--lr=fast"}, "--lr=fast: expected a number"},
      {{"--lr="}, "--lr=: expected a number"},
      {{"--overfit_one_batch=maybe"}, "--overfit_one_batch=maybe: expected true or false"},
      {{"--steps"}, "--steps needs a value, as in --steps=2000"},
      {{"--out", "--steps=3"}, "--out needs a value, as in --out=..."},
      {{"--nosteps"}, "--nosteps: --steps is no switch that can be turned off; give it a value"},
      {{"--nooverfit_one_batch=true"},
       "--nooverfit_one_batch takes no value; write --overfit_one_batch=true"},
      {{"input.txt"},
       "unexpected argument 'input.txt'; flags begin with --, and --help lists them"},
      {{"--"}, "unexpected argument '--'; flags begin with --, and --help lists them"},
      {{"-"}, "unexpected argument '-'; flags begin with --, and --help lists them"},
      {{""}, "unexpected argument ''; flags begin with --, and --help lists them"},
      {{"--overfit_one_batch", "false"},
       "unexpected argument 'false'; a switch takes its value as --name=false"},
  };
  for (const auto& test : kCases) EXPECT_EQ(ErrorOf(test.arguments), test.error);
}

TEST_F(FlagsTest, HelpListsTheProgramsOwnFlagsByGroup) {
  EXPECT_EQ(ErrorOf({"--steps=5", "--help"}), "help");
  EXPECT_EQ(ErrorOf({"-h"}), "help");
  EXPECT_EQ(HelpText(TrainUsage()),
            "Trains a GPT on a text.\n"
            "\n"
            "Usage: train [--flag=value ...]\n"
            "\n"
            "Model:\n"
            "  --preset                configuration to start from (default: \"course\")\n"
            "  --dropout               probability with which an entry is dropped (default:\n"
            "                          0.1)\n"
            "\n"
            "Training:\n"
            "  --steps                 optimizer steps (default: 2000)\n"
            "  --batch_size            sequences in a batch (default: 12)\n"
            "  --lr                    peak learning rate (default: 0.001)\n"
            "  --[no]overfit_one_batch train on one batch over and over, to see whether the\n"
            "                          model can learn at all (default: false)\n"
            "\n"
            "Other:\n"
            "  --out                   folder of the run\n"
            "  --seed                  seed (default: 1337)\n");
}

using FlagsDeathTest = FlagsTest;

void Parse(const std::vector<const char*>& argv) {
  ParseFlags(static_cast<int>(argv.size()), argv.data(), TrainUsage());
}

TEST_F(FlagsDeathTest, BadInputIsOneLineAndExitStatus2) {
  EXPECT_EXIT(Parse({"x/train", "--stpes=3"}), ExitedWithCode(2),
              "^train: unknown flag --stpes; did you mean --steps\\?\n$");
  EXPECT_EXIT(Parse({"x/train", "two\nlines\x1b[2J"}), ExitedWithCode(2),
              "^train: unexpected argument 'two lines\\\\033\\[2J'; [^\n]*\n$");
}

TEST_F(FlagsDeathTest, HelpExits0) {
  EXPECT_EXIT(Parse({"x/train", "--help"}), ExitedWithCode(0), "^$");
}

TEST_F(FlagsDeathTest, AListedFlagMustExist) {
  EXPECT_DEATH(HelpText({.program = "train", .summary = "", .groups = {{"A", {"nosuch"}}}}),
               "lists a flag --nosuch that does not exist");
}

TEST_F(FlagsDeathTest, RangesAreChecked) {
  EXPECT_EQ(ErrorOf({"--steps=0", "--lr=nan", "--dropout=1", "--preset=cuorse", "--batch_size=-2"}),
            "");
  EXPECT_EXIT(RequirePositive(FLAGS_steps), ExitedWithCode(2),
              "^train: --steps must be greater than 0, not 0\n$");
  EXPECT_EXIT(RequireAtLeast(FLAGS_batch_size, 1), ExitedWithCode(2),
              "^train: --batch_size must be at least 1, not -2\n$");
  EXPECT_EXIT(RequireInRange(FLAGS_lr, 0, 1), ExitedWithCode(2),
              "^train: --lr must be from 0 to 1, not nan\n$");
  EXPECT_EXIT(RequireFraction(FLAGS_dropout), ExitedWithCode(2),
              "^train: --dropout must be at least 0 and less than 1, not 1\n$");
  EXPECT_EXIT(RequireOneOf(FLAGS_preset, {"course", "gpt2"}), ExitedWithCode(2),
              "^train: --preset=cuorse is unknown; did you mean course\\? \\(it can be course, "
              "gpt2\\)\n$");
  EXPECT_EXIT(Die(absl::NotFoundError("no file")), ExitedWithCode(2), "^train: no file\n$");
}

TEST_F(FlagsTest, AnEmptyValueIsRefusedWhereSomethingIsNamed) {
  EXPECT_EQ(ErrorOf({"--preset="}), "");
  EXPECT_EXIT(RequireNotEmpty(FLAGS_preset, "the name of a preset"), ExitedWithCode(2),
              "^train: --preset= is empty; it takes the name of a preset, or leave it out\n$");
  EXPECT_EQ(ErrorOf({"--preset=course"}), "");
  RequireNotEmpty(FLAGS_preset, "the name of a preset");
  EXPECT_EQ(ErrorOf({}), "");
  RequireNotEmpty(FLAGS_preset, "the name of a preset");
}

TEST_F(FlagsTest, ValuesInRangePass) {
  EXPECT_EQ(ErrorOf({"--steps=1", "--lr=1", "--dropout=0"}), "");
  RequirePositive(FLAGS_steps);
  RequireAtLeast(FLAGS_steps, 1);
  RequireInRange(FLAGS_lr, 0, 1);
  RequireFraction(FLAGS_dropout);
  RequireOneOf(FLAGS_preset, {"course", "gpt2"});
}

}  // namespace
}  // namespace lemma::tools
