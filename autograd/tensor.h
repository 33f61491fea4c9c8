// Tensor: a handle to an n-dimensional array that remembers how it was computed.
//
//   Tensor x = FromValues<float>({1, 2, 3});        // autograd/create.h
//   x.SetRequiresGrad(true);
//   Tensor y = Sum(x * x);                          // autograd/ops/*.h
//   Backward(y);                                    // autograd/backward.h
//   x.grad().ToVector<float>();                     // {2, 4, 6}
//
// A Tensor is shared storage seen through a shape, strides and an offset. Copying a Tensor copies
// the handle, never the elements; Reshape, Transpose, Slice and Expand give views of the same
// storage. Ops never change their arguments: what changes a tensor in place is named so (Fill,
// CopyFrom, AddInPlace) and runs under NoGrad only.
//
// Threads: handles may be used on many threads at once as long as no thread changes the elements
// or the gradient of a tensor that another one uses.
#ifndef LEMMA_AUTOGRAD_TENSOR_H_
#define LEMMA_AUTOGRAD_TENSOR_H_

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/ref.h"
#include "autograd/shape.h"
#include "autograd/storage.h"

namespace lemma {

class Node;
class Tensor;

// An output of a node of the graph: where a gradient flows to.
struct Edge {
  Ref<Node> node;
  int output = 0;
};

using GradHook = std::function<Tensor(const Tensor& grad)>;
using TensorList = absl::InlinedVector<Tensor, 3>;

namespace internal {

// What handles of one tensor share.
struct TensorImpl : RefCounted<TensorImpl> {
  TensorImpl(Ref<Storage> storage, DType dtype, Shape shape, Strides strides, int64_t offset,
             int64_t numel, bool contiguous);

  Ref<Storage> storage;
  Shape shape;
  Strides strides;
  int64_t offset;
  int64_t numel;
  DType dtype;
  bool contiguous;
  Edge edge;

  static void Destroy(TensorImpl* impl);
  static void* operator new(size_t bytes);
  static void operator delete(void* memory);
};

}  // namespace internal

class Tensor {
 public:
  // An undefined tensor: no elements, no shape. It may be asked defined(), requires_grad() and
  // grad(), assigned and copied; all else throws Error.
  Tensor() = default;

  // Uninitialised elements in row-major order.
  static Tensor Empty(const Shape& shape, DType dtype = DType::kFloat32);
  // A view of `storage`; offset and strides count elements.
  static Tensor View(Ref<Storage> storage, DType dtype, Shape shape, Strides strides,
                     int64_t offset);

  bool defined() const { return static_cast<bool>(impl_); }
  const Shape& shape() const { return impl().shape; }
  // Size of one dimension; negative dimensions count from the end.
  int64_t size(int dim) const {
    const Shape& sizes = shape();
    const int at = NormalizeDim("size", dim, sizes.rank());
    if (sizes.rank() == 0) [[unlikely]]
      FailScalar(dim);
    return sizes[at];
  }
  int rank() const { return shape().rank(); }
  int64_t numel() const { return impl().numel; }
  DType dtype() const { return impl().dtype; }
  const Strides& strides() const { return impl().strides; }
  int64_t offset() const { return impl().offset; }  // in elements
  bool IsContiguous() const { return impl().contiguous; }
  const Ref<Storage>& storage() const { return impl().storage; }

  // The first element. T must be the dtype's type. Elements lie at the strides: ask IsContiguous.
  // Throws inside a vjp that is being recorded (create_graph), where values read behind the
  // engine's back would drop out of the derivative.
  template <typename T>
  const T* data() const {
    return static_cast<const T*>(raw_data(DTypeOf<T>()));
  }
  // The same for writing: raises the storage's version. Not for memory that is read only.
  template <typename T>
  T* mutable_data() {
    return static_cast<T*>(mutable_raw_data(DTypeOf<T>()));
  }
  const void* raw_data() const { return raw_data(dtype()); }
  void* mutable_raw_data() { return mutable_raw_data(dtype()); }

  // The one element of a tensor with one element, whatever its dtype.
  double Item() const;
  // All elements in row-major order; T must be the dtype's type.
  template <typename T>
  std::vector<T> ToVector() const;

  // Whether a gradient flows to this tensor: a leaf that asks for one, or a result of such.
  bool requires_grad() const { return edge() != nullptr; }
  // Leaves of a float dtype only; returns *this, so that it can stand at the end of a declaration.
  Tensor& SetRequiresGrad(bool requires_grad);
  // Made by the user, not by a recorded op.
  bool is_leaf() const;
  // The gradient that Backward accumulated into a leaf; undefined where there is none.
  Tensor grad() const;
  // Replaces it; an undefined tensor drops it.
  void SetGrad(Tensor grad);

  // Called with the complete gradient of this tensor, once per walk, before it is used; what it
  // returns takes its place, an undefined tensor keeps it.
  void RegisterHook(GradHook hook);

  // The same elements without history: another tensor on the same storage, a leaf of its own.
  Tensor Detach() const;

  // For reading: a row-major tensor of the same elements without history. This very storage (and
  // without history this very tensor) where it is contiguous already, else a copy.
  Tensor DetachedContiguous() const;

  // For the engine.
  // Null where no gradient flows.
  const Edge* edge() const { return impl_ && impl_->edge.node ? &impl_->edge : nullptr; }
  void SetEdge(Edge edge);
  // Whether this handle alone owns its elements, so that an op may overwrite them.
  bool IsSoleOwner() const;
  bool IsSoleHandle() const;
  bool IsSameAs(const Tensor& other) const { return impl_ == other.impl_; }

 private:
  explicit Tensor(Ref<internal::TensorImpl> impl);
  const internal::TensorImpl& impl() const {
    if (!impl_) [[unlikely]]
      FailUndefined();
    return *impl_;
  }
  [[noreturn]] static void FailUndefined();
  [[noreturn]] static void FailScalar(int dim);
  const void* raw_data(DType dtype) const;
  void* mutable_raw_data(DType dtype);

  Ref<internal::TensorImpl> impl_;
};

// Copies `from`, read at its strides, to row-major `to`; both hold `shape` elements of `dtype`.
void CopyStrided(DType dtype, const Shape& shape, const void* from, const Strides& strides,
                 void* to);

template <typename T>
std::vector<T> Tensor::ToVector() const {
  const Tensor dense = DetachedContiguous();
  const T* begin = dense.data<T>();
  return std::vector<T>(begin, begin + numel());
}

// While alive, ops on this thread record nothing.
class NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;

 private:
  bool before_;
};

// While alive, ops on this thread record, also inside of a NoGrad.
class EnableGrad {
 public:
  EnableGrad();
  ~EnableGrad();
  EnableGrad(const EnableGrad&) = delete;
  EnableGrad& operator=(const EnableGrad&) = delete;

 private:
  bool before_;
};

// Whether ops on this thread record now.
bool IsGradEnabled();

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_TENSOR_H_
