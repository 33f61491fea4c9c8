// Memory of tensors: shared storage with a version, and the caching allocator behind it.
#ifndef LEMMA_AUTOGRAD_STORAGE_H_
#define LEMMA_AUTOGRAD_STORAGE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "autograd/ref.h"

namespace lemma {

// What the allocator has handed out, process-wide.
struct MemoryStats {
  int64_t current_bytes = 0;       // in live storages
  int64_t peak_bytes = 0;          // largest current_bytes since the start or ResetPeak
  int64_t cached_bytes = 0;        // free, kept for the next request
  int64_t allocations = 0;         // requests since the start
  int64_t system_allocations = 0;  // of these, served by the system and not from the cache
  int64_t allocated_bytes = 0;     // sum of all requests
};

MemoryStats GetMemoryStats();
void ResetPeakMemory();
// Gives cached memory back to the system, as far as nothing lives in the same segment of it.
void EmptyMemoryCache();

// A block of bytes that tensors share. Freed when its last owner goes.
//
// The version counts in-place changes. A tensor saved for backward remembers the version that it
// saw, so a gradient is never computed from values that have changed since.
class Storage : public RefCounted<Storage> {
 public:
  // `bytes` of uninitialised memory, aligned to 64 bytes. Throws Error where there is none left.
  static Ref<Storage> Allocate(size_t bytes);

  // Memory of someone else, such as a mapped file. `keeper` is held until the storage goes.
  static Ref<Storage> Foreign(void* data, size_t bytes, std::shared_ptr<const void> keeper,
                              bool read_only);

  void* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  bool read_only() const { return read_only_; }
  // Whether the memory is the allocator's own, so that an op may overwrite it.
  bool owned() const { return keeper_ == nullptr; }

  uint32_t version() const { return version_; }
  void RaiseVersion() {
    ++version_;
    derived_.Reset();
  }

  // Another form of these bytes from their start on, such as a bfloat16 copy of a weight, kept
  // beside them until they change or go; null where there is none that holds `bytes` bytes.
  // Threads may ask and set at a time. Setting null frees it.
  Ref<Storage> derived(size_t bytes) const;
  void SetDerived(Ref<Storage> derived, size_t bytes);

  static void Destroy(Storage* storage);

 private:
  Storage() = default;

  void* data_ = nullptr;
  size_t bytes_ = 0;
  std::shared_ptr<const void> keeper_;
  uint32_t version_ = 0;
  bool read_only_ = false;
  Ref<Storage> derived_;
  size_t derived_bytes_ = 0;
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_STORAGE_H_
