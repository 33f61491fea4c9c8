// Ref<T>: a pointer that shares ownership of an object that counts its own owners.
#ifndef LEMMA_AUTOGRAD_REF_H_
#define LEMMA_AUTOGRAD_REF_H_

#include <atomic>
#include <cstdint>
#include <utility>

namespace lemma {

// Base of objects that Ref owns. T derives from RefCounted<T>; when the last owner goes, the object
// is passed to T::Destroy(T*), which by default deletes it.
template <typename T>
class RefCounted {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  int32_t owners() const { return owners_.load(std::memory_order_acquire); }
  static void Destroy(T* object) { delete object; }

 private:
  template <typename U>
  friend class Ref;
  std::atomic<int32_t> owners_{0};
};

template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) { Acquire(); }
  Ref(const Ref& other) : object_(other.object_) { Acquire(); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(const Ref& other) {
    Ref copy(other);
    std::swap(object_, copy.object_);
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    std::swap(object_, other.object_);
    other.Reset();
    return *this;
  }
  ~Ref() { Reset(); }

  void Reset() {
    T* object = std::exchange(object_, nullptr);
    if (object != nullptr && object->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      T::Destroy(object);
    }
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  void Acquire() {
    if (object_ != nullptr) object_->owners_.fetch_add(1, std::memory_order_relaxed);
  }

  T* object_ = nullptr;
};

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_REF_H_
