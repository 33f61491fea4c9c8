// A value of any type, kept inline: the attributes of an op's call.
#ifndef LEMMA_AUTOGRAD_ATTRIBUTES_H_
#define LEMMA_AUTOGRAD_ATTRIBUTES_H_

#include <cstddef>
#include <new>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "autograd/error.h"

namespace lemma {

// Holds one movable object of at most kCapacity bytes without a heap allocation.
class Attributes {
 public:
  static constexpr size_t kCapacity = 128;

  Attributes() = default;
  template <typename T>
  requires(!std::is_same_v<std::decay_t<T>, Attributes>) Attributes(T&& value)
      : manager_(&Manage<std::decay_t<T>>) {
    static_assert(sizeof(std::decay_t<T>) <= kCapacity, "keep large attributes behind a pointer");
    new (bytes_) std::decay_t<T>(std::forward<T>(value));
  }
  Attributes(Attributes&& other) noexcept : manager_(other.manager_) {
    if (manager_ != nullptr) manager_(Action::kMove, other.bytes_, bytes_);
  }
  Attributes& operator=(Attributes&& other) noexcept {
    if (this != &other) {
      this->~Attributes();
      new (this) Attributes(std::move(other));
    }
    return *this;
  }
  ~Attributes() {
    if (manager_ != nullptr) manager_(Action::kDestroy, bytes_, nullptr);
  }

  template <typename T>
  const T& As() const {
    LEMMA_CHECK(manager_ == &Manage<T>, "attributes are not of type ", typeid(T).name());
    return *std::launder(reinterpret_cast<const T*>(bytes_));
  }

 private:
  enum class Action { kMove, kDestroy };
  using Manager = void (*)(Action, void* from, void* to);

  template <typename T>
  static void Manage(Action action, void* from, void* to) {
    T* object = std::launder(reinterpret_cast<T*>(from));
    if (action == Action::kMove) {
      new (to) T(std::move(*object));
    } else {
      object->~T();
    }
  }

  Manager manager_ = nullptr;
  alignas(std::max_align_t) unsigned char bytes_[kCapacity];
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_ATTRIBUTES_H_
