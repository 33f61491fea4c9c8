#include "tools/status_line.h"

#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

class StatusLineTest : public ::testing::Test {
 protected:
  StatusLineOptions Options(bool is_terminal) {
    StatusLineOptions options;
    options.is_terminal = is_terminal;
    options.columns = [this] { return columns_; };
    options.now = [this] { return now_; };
    options.write = [this](absl::string_view text) { output_.append(text.data(), text.size()); };
    return options;
  }
  std::string output_;
  double now_ = 100;
  int columns_ = 80;
};

TEST_F(StatusLineTest, ATerminalsLineIsRewritten) {
  {
    StatusLine line(Options(true));
    line.Show("step 1");
    now_ += 1;
    line.Show("step 2");
  }
  EXPECT_EQ(output_, "\rstep 1\x1b[K\rstep 2\x1b[K\n");
}

TEST_F(StatusLineTest, ATerminalsLineIsCutToTheWidthOfTheMoment) {
  StatusLine line(Options(true));
  columns_ = 11;
  line.Show("0123456789");
  columns_ = 10;
  line.Show("0123456789", /*always=*/true);
  EXPECT_EQ(output_, "\r0123456789\x1b[K\r012345...\x1b[K");
}

TEST_F(StatusLineTest, WhatComesTooSoonIsSkipped) {
  StatusLine line(Options(true));
  line.Show("a");
  now_ += 0.05;
  line.Show("b");
  line.Show("c", /*always=*/true);
  now_ += 0.11;
  line.Show("d");
  EXPECT_EQ(output_, "\ra\x1b[K\rc\x1b[K\rd\x1b[K");
}

TEST_F(StatusLineTest, APipeGetsWholeLinesNowAndThen) {
  StatusLine line(Options(false));
  columns_ = 3;
  line.Show("step 1");
  now_ += 9.9;
  line.Show("step 2");
  now_ += 0.2;
  line.Show("step 3");
  line.Show("step 4", /*always=*/true);
  line.Finish();
  EXPECT_EQ(output_, "step 1\nstep 3\nstep 4\n");
}

TEST_F(StatusLineTest, PrintedLinesStayAboveTheState) {
  StatusLine line(Options(true));
  line.Print("start");
  line.Show("a long state");
  line.Print("saved");
  line.Show("state");
  line.Finish();
  line.Finish();
  EXPECT_EQ(output_, "start\n\ra long state\x1b[K\rsaved\x1b[K\n\rstate\x1b[K\n");
}

TEST(CutToColumns, CountsCharactersAndKeepsThemWhole) {
  EXPECT_EQ(CutToColumns("abc", 3), "abc");
  EXPECT_EQ(CutToColumns("abcdefgh", 7), "abcd...");
  EXPECT_EQ(CutToColumns("\u00e4\u00f6\u00fc", 3), "\u00e4\u00f6\u00fc");
  EXPECT_EQ(CutToColumns("\u00e4\u00f6\u00fc\u00e4\u00f6\u00fc\u00e4", 6), "\u00e4\u00f6\u00fc...");
  EXPECT_EQ(CutToColumns("abcdefgh", 2), "ab");
  EXPECT_EQ(CutToColumns("abc", 0), "");
  EXPECT_EQ(CutToColumns("abc", -5), "");
  EXPECT_EQ(CutToColumns("", 5), "");
}

}  // namespace
}  // namespace lemma::tools
