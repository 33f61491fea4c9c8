#include "tools/gnuplot.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

using ::testing::HasSubstr;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// An empty folder of the test's own.
std::string Folder(const std::string& name) {
  const std::string path = ::testing::TempDir() + "/" + name;
  std::filesystem::remove_all(path);
  std::filesystem::create_directories(path);
  return path;
}

bool HasGnuplot() { return std::system("command -v gnuplot >/dev/null 2>&1") == 0; }

constexpr char kSvg[] = "set terminal svg\nplot x\n";

TEST(GnuplotText, QuotesWhatIsSpecial) {
  EXPECT_EQ(GnuplotText("it's"), "\"it's\"");
  EXPECT_EQ(GnuplotText("a\nb\tc\x7f"), "\"a b c \"");
  EXPECT_EQ(GnuplotText("`x` \\n \"y\" @z"), "\"\\140x\\140 \\134n \\042y\\042 \\100z\"");
  EXPECT_EQ(GnuplotText("caf\u00e9"), "\"caf\u00e9\"");
  EXPECT_EQ(GnuplotTicText("5%"), "\"5%%\"");
}

TEST(GnuplotText, EveryByteIsShownWhereverItStands) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  std::string script = "set terminal svg noenhanced\nset print '-'\n", expected;
  for (char c = ' '; c < 0x7f; ++c) {
    for (const std::string& text : {std::string(1, c), std::string(3, c), std::string("x") + c}) {
      script += "print " + GnuplotText(text) + "\n";
      expected += text + "\n";
    }
  }
  const std::string path = Folder("bytes") + "/a.svg";  // not an image, but what it prints
  const absl::Status drawn = DrawScript(script, path, false);
  ASSERT_TRUE(drawn.ok()) << drawn;
  EXPECT_EQ(ReadAll(path), expected);
}

TEST(GnuplotText, ATicShowsItsTextAndNoFormat) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string path = Folder("tics") + "/a.svg";
  const std::string script = "set terminal svg noenhanced\nset xtics (" + GnuplotTicText("%s") +
                             " 0, " + GnuplotTicText("%g%") + " 5)\nplot x\n";
  const absl::Status drawn = DrawScript(script, path, false);
  ASSERT_TRUE(drawn.ok()) << drawn;
  EXPECT_THAT(ReadAll(path), HasSubstr(">%s<"));
  EXPECT_THAT(ReadAll(path), HasSubstr(">%g%<"));
}

TEST(DrawScript, KeepsAProgramThatDrawsTheSameAgain) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string folder = Folder("keep");
  const absl::Status drawn = DrawScript(kSvg, folder + "/it's.svg", true);
  ASSERT_TRUE(drawn.ok()) << drawn;
  const std::string first = ReadAll(folder + "/it's.svg");
  EXPECT_THAT(first, HasSubstr("</svg>"));
  std::filesystem::remove(folder + "/it's.svg");
  EXPECT_EQ(std::system(("cd '" + folder + "' && gnuplot \"it's.gp\"").c_str()), 0);
  EXPECT_EQ(ReadAll(folder + "/it's.svg"), first);
}

TEST(DrawScript, LeavesNothingBehindWhenItFails) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string folder = Folder("fail");
  EXPECT_THAT(DrawScript("set terminal svg\nplot nonsense(\n", folder + "/a.svg", true).message(),
              HasSubstr("gnuplot ended with status"));
  EXPECT_FALSE(DrawScript(kSvg, folder + "/a.jpg", true).ok());
  std::filesystem::create_directory(folder + "/b.gp");
  EXPECT_FALSE(DrawScript(kSvg, folder + "/b.svg", true).ok());
  std::filesystem::remove(folder + "/b.gp");
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(DrawScript, AnImageOfCellsIsNotSmoothed) {
  if (!HasGnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  const std::string path = Folder("cells") + "/a.svg";
  const absl::Status drawn = DrawScript(
      "set terminal svg\n$m << END\n0 1\n1 0\nEND\nplot $m matrix with image\n", path, false);
  ASSERT_TRUE(drawn.ok()) << drawn;
  EXPECT_THAT(ReadAll(path), HasSubstr("<image style='image-rendering:pixelated' "));
}

}  // namespace
}  // namespace lemma::tools
