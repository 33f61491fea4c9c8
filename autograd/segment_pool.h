// Memory in large pieces, cut into blocks of any size: a block that is given back joins its free
// neighbours, so that activations leave room for gradients and gradients for activations.
#ifndef LEMMA_AUTOGRAD_SEGMENT_POOL_H_
#define LEMMA_AUTOGRAD_SEGMENT_POOL_H_

#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace lemma {

// Not for several threads at a time.
class SegmentPool {
 public:
  // Adds memory to take blocks from.
  void Add(void* segment, size_t bytes);
  // A block of `bytes`, cut from the smallest free piece that holds it; null where none does.
  void* Take(size_t bytes);
  // Takes back a block of `bytes`.
  void Give(void* block, size_t bytes);
  // Forgets a segment that is free from end to end, and returns it with its size; null where there
  // is none.
  std::pair<void*, size_t> RemoveFreeSegment();
  // Of all segments.
  size_t bytes() const { return bytes_; }

 private:
  using Address = std::byte*;
  using FreeBlocks = std::map<Address, size_t>;

  void Insert(Address block, size_t bytes);
  FreeBlocks::iterator Erase(FreeBlocks::iterator free);

  size_t bytes_ = 0;
  std::map<Address, size_t> segments_;                 // by address: bytes
  FreeBlocks free_;                                    // by address: bytes
  std::set<std::pair<size_t, Address>> free_by_size_;  // the same
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_SEGMENT_POOL_H_
