#include "autograd/storage.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "autograd/testing.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

using ::testing::HasSubstr;

TEST(Storage, IsAlignedTo64Bytes) {
  for (size_t bytes : {1, 63, 64, 65, 5000, 70000, 1 << 22}) {
    const Ref<Storage> storage = Storage::Allocate(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(storage->data()) % 64, 0u) << bytes;
    EXPECT_GE(storage->bytes(), bytes);
  }
}

TEST(Storage, CountsWhatIsLive) {
  const int64_t before = GetMemoryStats().current_bytes;
  {
    const Ref<Storage> a = Storage::Allocate(1000), b = Storage::Allocate(2000);
    EXPECT_GE(GetMemoryStats().current_bytes, before + 3000);
  }
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

TEST(Storage, RemembersThePeak) {
  ResetPeakMemory();
  const int64_t before = GetMemoryStats().peak_bytes;
  { const Ref<Storage> a = Storage::Allocate(1 << 20); }
  EXPECT_GE(GetMemoryStats().peak_bytes, before + (1 << 20));
  ResetPeakMemory();
  EXPECT_LT(GetMemoryStats().peak_bytes, before + (1 << 20));
}

TEST(Storage, ServesEqualRequestsFromTheCache) {
  for (size_t bytes : {100, 100000}) {
    { const Ref<Storage> warm = Storage::Allocate(bytes); }
    const MemoryStats before = GetMemoryStats();
    void* first = Storage::Allocate(bytes)->data();
    const Ref<Storage> again = Storage::Allocate(bytes);
    EXPECT_EQ(again->data(), first);
    const MemoryStats after = GetMemoryStats();
    EXPECT_EQ(after.system_allocations, before.system_allocations);
    EXPECT_EQ(after.allocations, before.allocations + 2);
    EXPECT_EQ(after.allocated_bytes, before.allocated_bytes + 2 * static_cast<int64_t>(bytes));
  }
}

TEST(Storage, CutsAndJoinsLargeBlocks) {
  constexpr size_t kLarge = size_t{1} << 26;
  { const Ref<Storage> large = Storage::Allocate(kLarge); }
  const int64_t before = GetMemoryStats().system_allocations;
  for (int round = 0; round < 2; ++round) {
    std::vector<Ref<Storage>> parts;
    for (int i = 0; i < 7; ++i) parts.push_back(Storage::Allocate(kLarge / 8));
    parts.clear();
    const Ref<Storage> whole = Storage::Allocate(kLarge);
  }
  EXPECT_EQ(GetMemoryStats().system_allocations, before);
}

TEST(Storage, AsksTheSystemSeldom) {
  EmptyMemoryCache();
  const int64_t before = GetMemoryStats().system_allocations;
  std::vector<Ref<Storage>> blocks;
  for (int i = 0; i < 512; ++i) blocks.push_back(Storage::Allocate(1 << 20));
  EXPECT_LE(GetMemoryStats().system_allocations - before, 6);
}

TEST(Storage, EmptyingTheCacheGivesItBack) {
  { const Ref<Storage> a = Storage::Allocate(1 << 20); }
  EXPECT_GT(GetMemoryStats().cached_bytes, 0);
  EmptyMemoryCache();
  EXPECT_EQ(GetMemoryStats().cached_bytes, 0);
}

// Sanitizers need more memory than the limit leaves.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(StorageDeathTest, TakesLessFromASystemThatHasLittleLeft) {
  const auto allocate = [] {
    EmptyMemoryCache();
    std::ifstream file("/proc/self/statm");
    rlim_t pages = 0;
    file >> pages;
    const rlim_t limit = pages * static_cast<rlim_t>(getpagesize()) + (rlim_t{1} << 24);
    const rlimit limits = {limit, limit};
    setrlimit(RLIMIT_AS, &limits);
    Storage::Allocate(100000);
    std::cerr << ErrorOf([] { Storage::Allocate(50'000'000); });
    std::_Exit(0);
  };
  EXPECT_EXIT(allocate(), testing::ExitedWithCode(0), "no 50000000 bytes of memory left");
}
#endif

#ifdef __SANITIZE_ADDRESS__
TEST(StorageDeathTest, TheAddressSanitizerSeesWhatIsNotAllocated) {
  for (const size_t bytes : {100, 128, 100000}) {
    Ref<Storage> storage = Storage::Allocate(bytes);
    volatile char* const data = static_cast<char*>(storage->data());
    data[bytes - 1] = 1;
    EXPECT_DEATH(data[bytes] = 1, "use-after-poison");
    storage.Reset();
    EXPECT_DEATH(data[0] = 1, "use-after-poison");
  }
}
#endif

TEST(Storage, SaysThatMemoryIsExhausted) {
  EXPECT_THAT(ErrorOf([] { Storage::Allocate(size_t{1} << 60); }), HasSubstr("[allocate] "));
  EXPECT_THAT(ErrorOf([] { Storage::Allocate(SIZE_MAX); }), HasSubstr("[allocate] "));
}

TEST(Storage, HoldsForeignMemoryByItsKeeper) {
  const int64_t before = GetMemoryStats().current_bytes;
  auto keeper = std::make_shared<std::vector<float>>(4, 1.5f);
  const std::weak_ptr<std::vector<float>> watch = keeper;
  Ref<Storage> storage = Storage::Foreign(keeper->data(), 16, keeper, /*read_only=*/true);
  keeper.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_FALSE(storage->owned());
  EXPECT_TRUE(storage->read_only());
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
  storage.Reset();
  EXPECT_TRUE(watch.expired());
}

TEST(Storage, MayBeFreedOnAnotherThread) {
  const int64_t before = GetMemoryStats().current_bytes;
  std::vector<Ref<Storage>> storages;
  for (int i = 0; i < 100; ++i) storages.push_back(Storage::Allocate(256));
  std::thread([moved = std::move(storages)]() mutable { moved.clear(); }).join();
  EXPECT_EQ(GetMemoryStats().current_bytes, before);
}

}  // namespace
}  // namespace lemma
