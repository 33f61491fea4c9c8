#include "autograd/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "autograd/error.h"
#include "autograd/free_list.h"

namespace lemma {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{1} << 21;
// Requests up to here are served from exact size classes, larger ones by best fit.
constexpr size_t kLargestClass = size_t{1} << 16;
// A cached block may serve a request that leaves at most this part of it unused.
constexpr size_t kWasteDivisor = 8;

size_t RoundUp(size_t bytes) {
  const size_t step = bytes <= kLargestClass ? kAlignment : size_t{4096};
  return std::max((bytes + step - 1) / step * step, kAlignment);
}

class Allocator {
 public:
  static Allocator& Get() {
    static Allocator* allocator = new Allocator;  // never destroyed: storages may outlive main
    return *allocator;
  }

  // Sets *capacity to the block's size, which Free wants back.
  void* Allocate(size_t bytes, size_t* capacity) {
    const size_t rounded = RoundUp(bytes);
    if (rounded < bytes) Fail("allocate", "no memory holds ", bytes, " bytes");
    std::lock_guard lock(mutex_);
    void* block = TakeCached(rounded, capacity);
    if (block == nullptr) {
      block = FromSystem(rounded);
      *capacity = rounded;
      ++stats_.system_allocations;
    } else {
      stats_.cached_bytes -= static_cast<int64_t>(*capacity);
    }
    ++stats_.allocations;
    stats_.allocated_bytes += static_cast<int64_t>(bytes);
    stats_.current_bytes += static_cast<int64_t>(*capacity);
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.current_bytes);
    return block;
  }

  void Free(void* block, size_t capacity) {
    std::lock_guard lock(mutex_);
    stats_.current_bytes -= static_cast<int64_t>(capacity);
    stats_.cached_bytes += static_cast<int64_t>(capacity);
    if (capacity <= kLargestClass) {
      classes_[capacity / kAlignment].push_back(block);
    } else {
      large_.emplace(capacity, block);
    }
  }

  MemoryStats stats() {
    std::lock_guard lock(mutex_);
    return stats_;
  }

  void ResetPeak() {
    std::lock_guard lock(mutex_);
    stats_.peak_bytes = stats_.current_bytes;
  }

  void EmptyCache() {
    std::lock_guard lock(mutex_);
    for (auto& blocks : classes_) {
      for (void* block : blocks) std::free(block);
      blocks.clear();
    }
    for (const auto& [capacity, block] : large_) std::free(block);
    large_.clear();
    stats_.cached_bytes = 0;
  }

 private:
  Allocator() : classes_(kLargestClass / kAlignment + 1) {}

  void* TakeCached(size_t rounded, size_t* capacity) {
    if (rounded <= kLargestClass) {
      auto& blocks = classes_[rounded / kAlignment];
      if (blocks.empty()) return nullptr;
      void* block = blocks.back();
      blocks.pop_back();
      *capacity = rounded;
      return block;
    }
    auto it = large_.lower_bound(rounded);
    if (it == large_.end() || it->first - rounded > rounded / kWasteDivisor) return nullptr;
    *capacity = it->first;
    void* block = it->second;
    large_.erase(it);
    return block;
  }

  void* FromSystem(size_t rounded) {
    const size_t alignment = rounded >= kHugePage ? kHugePage : kAlignment;
    void* block = std::aligned_alloc(alignment, (rounded + alignment - 1) / alignment * alignment);
    if (block == nullptr) {
      Fail("allocate", "the system has no ", rounded, " bytes of memory left");
    }
    if (alignment == kHugePage) madvise(block, rounded, MADV_HUGEPAGE);
    return block;
  }

  std::mutex mutex_;
  std::vector<std::vector<void*>> classes_;  // by size over kAlignment
  std::multimap<size_t, void*> large_;       // by size
  MemoryStats stats_;
};

}  // namespace

MemoryStats GetMemoryStats() { return Allocator::Get().stats(); }
void ResetPeakMemory() { Allocator::Get().ResetPeak(); }
void EmptyMemoryCache() { Allocator::Get().EmptyCache(); }

Ref<Storage> Storage::Allocate(size_t bytes) {
  size_t capacity = 0;
  void* data = Allocator::Get().Allocate(bytes, &capacity);
  auto* storage = new (FreeList<sizeof(Storage)>::Take()) Storage;
  storage->data_ = data;
  storage->bytes_ = capacity;
  return Ref<Storage>(storage);
}

Ref<Storage> Storage::Foreign(void* data, size_t bytes, std::shared_ptr<const void> keeper,
                              bool read_only) {
  LEMMA_CHECK(keeper != nullptr, "foreign memory needs a keeper");
  auto* storage = new (FreeList<sizeof(Storage)>::Take()) Storage;
  storage->data_ = data;
  storage->bytes_ = bytes;
  storage->keeper_ = std::move(keeper);
  storage->read_only_ = read_only;
  return Ref<Storage>(storage);
}

namespace {

std::mutex& DerivedMutex() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

}  // namespace

Ref<Storage> Storage::derived(size_t bytes) const {
  const std::lock_guard lock(DerivedMutex());
  const bool holds = derived_version_ == version_ && derived_bytes_ >= bytes;
  return holds ? derived_ : Ref<Storage>();
}

void Storage::SetDerived(Ref<Storage> derived, size_t bytes) {
  const std::lock_guard lock(DerivedMutex());
  derived_version_ = version_;
  derived_bytes_ = bytes;
  std::swap(derived_, derived);  // the old form is freed after the lock
}

void Storage::Destroy(Storage* storage) {
  if (storage->owned()) Allocator::Get().Free(storage->data_, storage->bytes_);
  storage->~Storage();
  FreeList<sizeof(Storage)>::Give(storage);
}

}  // namespace lemma
