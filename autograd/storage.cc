#include "autograd/storage.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "autograd/error.h"
#include "autograd/free_list.h"
#include "autograd/segment_pool.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace lemma {
namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{1} << 21;
// Requests up to here are served from exact size classes, larger ones from segments.
constexpr size_t kLargestClass = size_t{1} << 15;
// What the system is asked for at least, where it has it; later, for as much as it gave before, so
// that there are few segments and little is lost at their ends. Pages that are not touched take no
// memory.
constexpr size_t kSegment = size_t{1} << 25;
constexpr size_t kMaxSegment = size_t{1} << 30;
// More is refused unasked, so that sizes can be rounded up.
constexpr size_t kMost = std::numeric_limits<size_t>::max() / 2;

// For the address sanitizer nobody may touch what is cached, nor a red zone behind each block.
#ifdef __SANITIZE_ADDRESS__
constexpr size_t kRedZone = kAlignment;
void Forbid(const void* memory, size_t bytes) { __asan_poison_memory_region(memory, bytes); }
void Allow(const void* memory, size_t bytes) { __asan_unpoison_memory_region(memory, bytes); }
#else
constexpr size_t kRedZone = 0;
void Forbid(const void*, size_t) {}
void Allow(const void*, size_t) {}
#endif

size_t RoundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

class Allocator {
 public:
  static Allocator& Get() {
    static Allocator* allocator = new Allocator;  // never destroyed: storages may outlive main
    return *allocator;
  }

  // Sets *capacity to what the block holds, which Free wants back.
  void* Allocate(size_t bytes, size_t* capacity) {
    if (bytes > kMost) Fail("allocate", "no memory holds ", bytes, " bytes");
    *capacity = RoundUp(std::max<size_t>(bytes, 1), kAlignment);
    std::lock_guard lock(mutex_);
    const size_t size = *capacity + kRedZone;
    void* const block = size <= kLargestClass ? TakeSmall(size) : TakeLarge(size);
    if (block == nullptr) {
      Fail("allocate", "the system has no ", bytes, " bytes of memory left");
    }
    Allow(block, bytes);
    ++stats_.allocations;
    stats_.allocated_bytes += static_cast<int64_t>(bytes);
    stats_.cached_bytes -= static_cast<int64_t>(size);
    stats_.current_bytes += static_cast<int64_t>(*capacity);
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.current_bytes);
    return block;
  }

  void Free(void* block, size_t capacity) {
    std::lock_guard lock(mutex_);
    const size_t size = capacity + kRedZone;
    Forbid(block, size);
    stats_.current_bytes -= static_cast<int64_t>(capacity);
    stats_.cached_bytes += static_cast<int64_t>(size);
    if (size <= kLargestClass) {
      classes_[size / kAlignment].push_back(block);
    } else {
      segments_.Give(block, size);
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
    for (size_t i = 0; i < classes_.size(); ++i) {
      for (void* block : classes_[i]) ToSystem(block, i * kAlignment);
      classes_[i].clear();
    }
    while (true) {
      const auto [segment, bytes] = segments_.RemoveFreeSegment();
      if (segment == nullptr) return;
      ToSystem(segment, bytes);
    }
  }

 private:
  Allocator() : classes_(kLargestClass / kAlignment + 1) {}

  // These return null where the system has no memory left.
  void* TakeSmall(size_t bytes) {
    auto& blocks = classes_[bytes / kAlignment];
    if (blocks.empty()) return FromSystem(kAlignment, bytes);
    void* const block = blocks.back();
    blocks.pop_back();
    return block;
  }

  void* TakeLarge(size_t bytes) {
    if (void* block = segments_.Take(bytes)) return block;
    const size_t least = RoundUp(bytes, kHugePage);
    size_t segment = std::max(std::clamp(segments_.bytes(), kSegment, kMaxSegment), least);
    void* memory = FromSystem(kHugePage, segment);
    while (memory == nullptr && segment > least) {
      segment = std::max(RoundUp(segment / 2, kHugePage), least);
      memory = FromSystem(kHugePage, segment);
    }
    if (memory == nullptr) return nullptr;
    madvise(memory, segment, MADV_HUGEPAGE);
    segments_.Add(memory, segment);
    return segments_.Take(bytes);
  }

  void* FromSystem(size_t alignment, size_t bytes) {
    void* const block = std::aligned_alloc(alignment, bytes);
    if (block == nullptr) return nullptr;
    Forbid(block, bytes);
    ++stats_.system_allocations;
    stats_.cached_bytes += static_cast<int64_t>(bytes);
    return block;
  }

  void ToSystem(void* block, size_t bytes) {
    std::free(block);
    stats_.cached_bytes -= static_cast<int64_t>(bytes);
  }

  std::mutex mutex_;
  std::vector<std::vector<void*>> classes_;  // by size over kAlignment
  SegmentPool segments_;                     // of larger blocks
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
  return derived_bytes_ >= bytes ? derived_ : Ref<Storage>();
}

void Storage::SetDerived(Ref<Storage> derived, size_t bytes) {
  const std::lock_guard lock(DerivedMutex());
  derived_bytes_ = bytes;
  std::swap(derived_, derived);  // the old form is freed after the lock
}

void Storage::Destroy(Storage* storage) {
  if (storage->owned()) Allocator::Get().Free(storage->data_, storage->bytes_);
  storage->~Storage();
  FreeList<sizeof(Storage)>::Give(storage);
}

}  // namespace lemma
