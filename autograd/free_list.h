// A per-thread list of free blocks of one size, for the small objects that every op makes.
#ifndef LEMMA_AUTOGRAD_FREE_LIST_H_
#define LEMMA_AUTOGRAD_FREE_LIST_H_

#include <cstddef>
#include <new>

namespace lemma {

// Take() returns kBytes of uninitialised memory, aligned for any object; Give() takes it back. A
// block may be given back on another thread than the one that took it. The lists of all threads
// keep what they have until the thread ends; no list holds more than kLongest blocks.
template <size_t kBytes>
class FreeList {
 public:
  static void* Take() {
    List& list = Local();
    if (list.head == nullptr)
      return ::operator new(kBytes < sizeof(Block) ? sizeof(Block) : kBytes);
    Block* block = list.head;
    list.head = block->next;
    --list.length;
    return block;
  }

  static void Give(void* memory) {
    List& list = Local();
    if (list.closed || list.length >= kLongest) {
      ::operator delete(memory);
      return;
    }
    list.head = new (memory) Block{list.head};
    ++list.length;
  }

 private:
  static constexpr size_t kLongest = 4096;
  struct Block {
    Block* next;
  };
  struct List {
    Block* head = nullptr;
    size_t length = 0;
    bool closed = false;
    ~List() {
      closed = true;
      while (head != nullptr) {
        Block* next = head->next;
        ::operator delete(head);
        head = next;
      }
    }
  };
  static List& Local() {
    static thread_local List list;
    return list;
  }
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_FREE_LIST_H_
