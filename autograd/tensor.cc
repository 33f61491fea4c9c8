#include "autograd/tensor.h"

#include <cstring>
#include <utility>

#include "autograd/free_list.h"
#include "autograd/node.h"

namespace lemma {
namespace internal {

TensorImpl::TensorImpl(Ref<Storage> storage, DType dtype, Shape shape, Strides strides,
                       int64_t offset, int64_t numel, bool contiguous)
    : storage(std::move(storage)),
      shape(std::move(shape)),
      strides(std::move(strides)),
      offset(offset),
      numel(numel),
      dtype(dtype),
      contiguous(contiguous) {}

void* TensorImpl::operator new(size_t) { return FreeList<sizeof(TensorImpl)>::Take(); }
void TensorImpl::operator delete(void* memory) { FreeList<sizeof(TensorImpl)>::Give(memory); }
void TensorImpl::Destroy(TensorImpl* impl) { delete impl; }

namespace {
thread_local bool grad_enabled = true;
thread_local bool in_recording_vjp = false;
}  // namespace

RecordingVjpScope::RecordingVjpScope(bool recording)
    : before_(std::exchange(in_recording_vjp, recording)) {}
RecordingVjpScope::~RecordingVjpScope() { in_recording_vjp = before_; }

}  // namespace internal

using internal::TensorImpl;

Tensor::Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}

Tensor Tensor::Empty(const Shape& shape, DType dtype) {
  for (int64_t size : shape) {
    if (size < 0) Fail("empty", "shape: sizes can't be negative; the shape is ", shape.ToString());
  }
  const int64_t numel = shape.numel();
  return Tensor(Ref(new TensorImpl(Storage::Allocate(static_cast<size_t>(numel) * SizeOf(dtype)),
                                   dtype, shape, ContiguousStrides(shape), /*offset=*/0, numel,
                                   /*contiguous=*/true)));
}

Tensor Tensor::View(Ref<Storage> storage, DType dtype, Shape shape, Strides strides,
                    int64_t offset) {
  const int64_t numel = shape.numel();
  const bool contiguous = lemma::IsContiguous(shape, strides);
  return Tensor(Ref(new TensorImpl(std::move(storage), dtype, std::move(shape), std::move(strides),
                                   offset, numel, contiguous)));
}

void Tensor::FailUndefined() {
  Fail("tensor",
       "the tensor is undefined: it was given no value, or is the gradient of a leaf "
       "that no Backward has reached");
}

void Tensor::FailScalar(int dim) { Fail("size", "dim: a scalar has no dimension ", dim); }

const void* Tensor::raw_data(DType dtype) const {
  impl();
  if (dtype != impl_->dtype) {
    Fail("data", "the elements are ", Name(impl_->dtype), ", not ", Name(dtype),
         "; ask for their type, or use Cast");
  }
  if (internal::in_recording_vjp && impl_->edge.node) {
    Fail("data",
         "a vjp that is being recorded reads the raw values of a tensor with history, which would "
         "drop out of the next derivative; write the vjp with ops, or read tensor.Detach()");
  }
  return static_cast<const char*>(impl_->storage->data()) +
         static_cast<size_t>(impl_->offset) * SizeOf(dtype);
}

void* Tensor::mutable_raw_data(DType dtype) {
  const void* data = raw_data(dtype);
  if (impl_->storage->read_only()) {
    Fail("mutable_data", "the elements are in memory that is read only; change a Clone() instead");
  }
  impl_->storage->RaiseVersion();
  return const_cast<void*>(data);
}

double Tensor::Item() const {
  if (numel() != 1) {
    Fail("item", "only a tensor with one element is a number; the shape is ", shape().ToString(),
         "; read several with ToVector");
  }
  return VisitDType(dtype(), [&]<typename T>() { return static_cast<double>(*data<T>()); });
}

Tensor& Tensor::SetRequiresGrad(bool requires_grad) {
  impl();
  if (!is_leaf()) {
    Fail("requires_grad", "only a leaf can change it; this tensor is a result of ",
         impl_->edge.node->name(), ": use Detach()");
  }
  if (requires_grad && !IsFloat(dtype())) {
    Fail("requires_grad", "only float tensors have gradients; this one is ", Name(dtype()));
  }
  if (requires_grad != this->requires_grad()) {
    impl_->edge = requires_grad ? Edge{Node::ForLeaf(shape(), dtype()), 0} : Edge{};
  }
  return *this;
}

bool Tensor::is_leaf() const { return !impl().edge.node || impl_->edge.node->is_leaf(); }

Tensor Tensor::grad() const {
  if (!requires_grad() || !is_leaf()) return Tensor();
  return impl_->edge.node->grad();
}

void Tensor::SetGrad(Tensor grad) {
  if (!requires_grad() || !is_leaf()) {
    Fail("set_grad",
         "only a leaf that requires a gradient holds one; call SetRequiresGrad(true) on a leaf");
  }
  if (grad.defined() && (grad.shape() != shape() || grad.dtype() != dtype())) {
    Fail("set_grad", "the gradient is ", Name(grad.dtype()), " ", grad.shape().ToString(),
         ", the tensor is ", Name(dtype()), " ", shape().ToString());
  }
  impl_->edge.node->grad() = std::move(grad);
}

void Tensor::RegisterHook(GradHook hook) {
  if (!hook) Fail("register_hook", "the hook is empty; pass a function");
  if (!requires_grad()) {
    Fail("register_hook", "no gradient flows to this tensor; call SetRequiresGrad(true) on a leaf ",
         "before it is used");
  }
  impl_->edge.node->AddHook(impl_->edge.output, std::move(hook));
}

Tensor Tensor::Detach() const {
  const TensorImpl& x = impl();
  return View(x.storage, x.dtype, x.shape, x.strides, x.offset);
}

Tensor Tensor::DetachedContiguous() const {
  if (IsContiguous()) return requires_grad() ? Detach() : *this;
  Tensor dense = Empty(shape(), dtype());
  const void* from = Detach().raw_data();
  CopyStrided(dtype(), shape(), from, strides(), dense.mutable_raw_data());
  return dense;
}

void Tensor::SetEdge(Edge edge) { impl_->edge = std::move(edge); }

bool Tensor::IsSoleHandle() const { return defined() && impl_->owners() == 1; }

bool Tensor::IsSoleOwner() const {
  return defined() && impl_->owners() == 1 && impl_->storage->owners() == 1 &&
         impl_->storage->owned();
}

namespace {

// Copies a strided block to row-major memory; `to` moves on as elements are written.
template <typename T>
void CopyDim(const Shape& shape, const Strides& strides, int dim, const T* from, T*& to) {
  const int64_t size = shape[dim], stride = strides[dim];
  if (dim + 1 < shape.rank()) {
    for (int64_t i = 0; i < size; ++i) CopyDim(shape, strides, dim + 1, from + i * stride, to);
  } else if (stride == 1) {
    std::memcpy(to, from, static_cast<size_t>(size) * sizeof(T));
    to += size;
  } else {
    for (int64_t i = 0; i < size; ++i) *to++ = from[i * stride];
  }
}

template <typename T>
void CopyAll(const Shape& shape, const void* from, const Strides& strides, void* to) {
  T* target = static_cast<T*>(to);
  if (shape.rank() == 0) {
    *target = *static_cast<const T*>(from);
  } else if (shape.numel() > 0) {
    CopyDim(shape, strides, 0, static_cast<const T*>(from), target);
  }
}

}  // namespace

void CopyStrided(DType dtype, const Shape& shape, const void* from, const Strides& strides,
                 void* to) {
  switch (SizeOf(dtype)) {
    case 1:
      return CopyAll<uint8_t>(shape, from, strides, to);
    case 2:
      return CopyAll<uint16_t>(shape, from, strides, to);
    case 4:
      return CopyAll<uint32_t>(shape, from, strides, to);
    default:
      return CopyAll<uint64_t>(shape, from, strides, to);
  }
}

NoGrad::NoGrad() : before_(std::exchange(internal::grad_enabled, false)) {}
NoGrad::~NoGrad() { internal::grad_enabled = before_; }
EnableGrad::EnableGrad() : before_(std::exchange(internal::grad_enabled, true)) {}
EnableGrad::~EnableGrad() { internal::grad_enabled = before_; }
bool IsGradEnabled() { return internal::grad_enabled; }

}  // namespace lemma
