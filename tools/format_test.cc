#include "tools/format.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

TEST(FormatCount, GroupsThousands) {
  EXPECT_EQ(FormatCount(0), "0");
  EXPECT_EQ(FormatCount(999), "999");
  EXPECT_EQ(FormatCount(1000), "1,000");
  EXPECT_EQ(FormatCount(816640), "816,640");
  EXPECT_EQ(FormatCount(-100), "-100");
  EXPECT_EQ(FormatCount(-1234567), "-1,234,567");
  EXPECT_EQ(FormatCount(std::numeric_limits<int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(FormatBytes, UsesPowersOf1024) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1,023 B");
  EXPECT_EQ(FormatBytes(1024), "1.0 KiB");
  EXPECT_EQ(FormatBytes(3266560), "3.1 MiB");
  EXPECT_EQ(FormatBytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(FormatBytes(uint64_t{5} << 30), "5.0 GiB");
  EXPECT_EQ(FormatBytes(std::numeric_limits<uint64_t>::max()), "16.0 EiB");
}

TEST(FormatDuration, ShowsTwoUnits) {
  EXPECT_EQ(FormatDuration(0), "0.0 s");
  EXPECT_EQ(FormatDuration(0.44), "0.4 s");
  EXPECT_EQ(FormatDuration(9.94), "9.9 s");
  EXPECT_EQ(FormatDuration(9.96), "10 s");
  EXPECT_EQ(FormatDuration(59.4), "59 s");
  EXPECT_EQ(FormatDuration(59.6), "1m 00s");
  EXPECT_EQ(FormatDuration(83), "1m 23s");
  EXPECT_EQ(FormatDuration(3599.7), "1h 00m");
  EXPECT_EQ(FormatDuration(7500), "2h 05m");
  EXPECT_EQ(FormatDuration(86399), "1d 00h");
  EXPECT_EQ(FormatDuration(3 * 86400 + 4 * 3600), "3d 04h");
}

TEST(FormatDuration, SaysSoWhereThereIsNoTime) {
  EXPECT_EQ(FormatDuration(-1), "?");
  EXPECT_EQ(FormatDuration(std::numeric_limits<double>::infinity()), "?");
  EXPECT_EQ(FormatDuration(std::numeric_limits<double>::quiet_NaN()), "?");
}

TEST(FormatPercent, IsAShareOfTheWhole) {
  EXPECT_EQ(FormatPercent(16512, 816640), "2.0 %");
  EXPECT_EQ(FormatPercent(1, 1), "100.0 %");
  EXPECT_EQ(FormatPercent(0, 0), "-");
}

}  // namespace
}  // namespace lemma::tools
