#include "autograd/segment_pool.h"

#include <iterator>
#include <utility>

namespace lemma {

void SegmentPool::Add(void* segment, size_t bytes) {
  const Address begin = static_cast<Address>(segment);
  segments_.emplace(begin, bytes);
  bytes_ += bytes;
  Insert(begin, bytes);
}

void* SegmentPool::Take(size_t bytes) {
  const auto fit = free_by_size_.lower_bound({bytes, nullptr});
  if (fit == free_by_size_.end()) return nullptr;
  const auto [size, block] = *fit;
  Erase(free_.find(block));
  if (size > bytes) Insert(block + bytes, size - bytes);
  return block;
}

void SegmentPool::Give(void* given, size_t bytes) {
  Address begin = static_cast<Address>(given), end = begin + bytes;
  // Neighbours join within their segment only, even where two segments touch.
  auto next = free_.lower_bound(begin);
  if (next != free_.begin() && !segments_.contains(begin)) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      next = Erase(before);
    }
  }
  if (next != free_.end() && next->first == end && !segments_.contains(end)) {
    end += next->second;
    Erase(next);
  }
  Insert(begin, static_cast<size_t>(end - begin));
}

std::pair<void*, size_t> SegmentPool::RemoveFreeSegment() {
  for (auto segment = segments_.begin(); segment != segments_.end(); ++segment) {
    const auto free = free_.find(segment->first);
    if (free == free_.end() || free->second != segment->second) continue;
    const std::pair<void*, size_t> removed = *segment;
    Erase(free);
    segments_.erase(segment);
    bytes_ -= removed.second;
    return removed;
  }
  return {nullptr, 0};
}

void SegmentPool::Insert(Address block, size_t bytes) {
  free_.emplace(block, bytes);
  free_by_size_.emplace(bytes, block);
}

SegmentPool::FreeBlocks::iterator SegmentPool::Erase(FreeBlocks::iterator free) {
  free_by_size_.erase({free->second, free->first});
  return free_.erase(free);
}

}  // namespace lemma
