// Memory that only grows, for one thread's work: after the first calls nothing is allocated.
#ifndef LEMMA_AUTOGRAD_KERNELS_THREAD_BUFFER_H_
#define LEMMA_AUTOGRAD_KERNELS_THREAD_BUFFER_H_

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace lemma::kernels {

class ThreadBuffer {
 public:
  ThreadBuffer() = default;
  ~ThreadBuffer() { std::free(data_); }
  ThreadBuffer(const ThreadBuffer&) = delete;
  ThreadBuffer& operator=(const ThreadBuffer&) = delete;

  // At least `bytes`, on a page boundary; a large buffer on huge pages. The contents are undefined.
  void* AtLeast(size_t bytes) {
    if (bytes > size_) Grow(bytes);
    return data_;
  }

 private:
  static constexpr size_t kPage = 4096, kHugePage = size_t{1} << 21;

  void Grow(size_t bytes) {
    std::free(data_);
    const size_t page = bytes < kHugePage / 2 ? kPage : kHugePage;
    size_ = (bytes + page - 1) / page * page;
    data_ = std::aligned_alloc(page, size_);
    if (data_ == nullptr) {
      size_ = 0;
      throw std::bad_alloc();
    }
    if (page == kHugePage) madvise(data_, size_, MADV_HUGEPAGE);
  }

  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace lemma::kernels

#endif  // LEMMA_AUTOGRAD_KERNELS_THREAD_BUFFER_H_
