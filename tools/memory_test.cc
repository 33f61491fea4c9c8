#include "tools/memory.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>

#include "gtest/gtest.h"

namespace lemma::tools {
namespace {

TEST(Memory, WhatIsTouchedCountsAndThePeakStays) {
  constexpr size_t kBytes = size_t{64} << 20;
  constexpr size_t kSlack = size_t{8} << 20;
  const uint64_t before = CurrentResidentBytes();
  ASSERT_GT(before, 0u);
  void* const block =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBytes);
  EXPECT_GE(CurrentResidentBytes() + kSlack, before + kBytes);
  munmap(block, kBytes);
  EXPECT_LT(CurrentResidentBytes(), before + kBytes - kSlack);
  EXPECT_GE(PeakResidentBytes() + kSlack, before + kBytes);
}

TEST(Memory, APeakCanBeginAnew) {
  constexpr size_t kBytes = size_t{64} << 20;
  void* const block =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  std::memset(block, 1, kBytes);
  munmap(block, kBytes);
  const uint64_t before = PeakResidentBytes();
  if (!ResetPeakResidentBytes()) GTEST_SKIP() << "the system does not allow it";
  EXPECT_LT(PeakResidentBytes() + kBytes / 2, before);
}

}  // namespace
}  // namespace lemma::tools
