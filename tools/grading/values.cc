#include "tools/grading/values.h"

#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/reshape.h"
#include "autograd/shape.h"

namespace lemma::tools::grading {
namespace {

constexpr uint32_t kMaxValues = 1000;
constexpr uint32_t kMaxName = 200;
constexpr uint32_t kMaxRank = 64;

template <typename T>
void Put(T number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof(T));
}

// Takes numbers and bytes off the front; after a failure it gives zeros and stays failed.
class Reader {
 public:
  explicit Reader(absl::string_view bytes) : rest_(bytes) {}

  template <typename T>
  T Get() {
    T number{};
    const absl::string_view bytes = Take(sizeof(T));
    if (ok_) std::memcpy(&number, bytes.data(), sizeof(T));
    return number;
  }
  absl::string_view Take(uint64_t count) {
    if (count > rest_.size()) ok_ = false;
    if (!ok_) return {};
    const absl::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  void Require(bool condition) { ok_ = ok_ && condition; }
  bool ok() const { return ok_; }
  absl::string_view rest() const { return rest_; }

 private:
  absl::string_view rest_;
  bool ok_ = true;
};

Tensor ReadTensor(Reader& reader) {
  const auto dtype = reader.Get<uint8_t>();
  const auto rank = reader.Get<uint8_t>();
  reader.Require(dtype <= static_cast<uint8_t>(DType::kBool) && rank <= kMaxRank);
  if (!reader.ok()) return {};
  // The sizes that are not 0 must have a product too: strides are made of it.
  auto bytes = static_cast<int64_t>(SizeOf(static_cast<DType>(dtype)));
  Shape shape;
  for (int i = 0; i < rank; ++i) {
    const auto size = reader.Get<int64_t>();
    reader.Require(size >= 0 && (size == 0 || !__builtin_mul_overflow(bytes, size, &bytes)));
    if (!reader.ok()) return {};
    shape.Append(size);
  }
  if (shape.numel() == 0) bytes = 0;
  const absl::string_view elements = reader.Take(static_cast<uint64_t>(bytes));
  if (static_cast<DType>(dtype) == DType::kBool) {
    for (const char element : elements) reader.Require(element == 0 || element == 1);
  }
  if (!reader.ok()) return {};
  Tensor tensor = Tensor::Empty(shape, static_cast<DType>(dtype));
  if (!elements.empty()) std::memcpy(tensor.mutable_raw_data(), elements.data(), elements.size());
  return tensor;
}

}  // namespace

Values& Values::Add(std::string name, Tensor tensor) {
  values_.push_back({std::move(name), std::move(tensor)});
  return *this;
}

Values& Values::Add(std::string name, int64_t number) {
  return Add(std::move(name), FromValues<int64_t>({number}, Shape{}));
}

Values& Values::Add(std::string name, double number) {
  return Add(std::move(name), FromValues<double>({number}, Shape{}));
}

const Tensor* Values::Find(absl::string_view name) const {
  for (const Value& value : values_) {
    if (value.name == name) return &value.tensor;
  }
  return nullptr;
}

const Tensor& Values::operator[](absl::string_view name) const {
  const Tensor* tensor = Find(name);
  if (tensor == nullptr) Fail("grading", "there is no value named ", name);
  return *tensor;
}

int64_t Values::Int(absl::string_view name) const {
  return static_cast<int64_t>((*this)[name].Item());
}

double Values::Number(absl::string_view name) const { return (*this)[name].Item(); }

std::string Encode(const Values& values) {
  std::string bytes;
  Put(static_cast<uint32_t>(values.size()), bytes);
  for (const auto& [name, tensor] : values) {
    Put(static_cast<uint32_t>(name.size()), bytes);
    bytes += name;
    const Tensor dense = tensor.DetachedContiguous();
    Put(static_cast<uint8_t>(dense.dtype()), bytes);
    Put(static_cast<uint8_t>(dense.rank()), bytes);
    for (const int64_t size : dense.shape()) Put(size, bytes);
    if (dense.numel() == 0) continue;
    bytes.append(static_cast<const char*>(dense.raw_data()),
                 static_cast<size_t>(dense.numel()) * SizeOf(dense.dtype()));
  }
  return bytes;
}

absl::StatusOr<Values> Decode(absl::string_view bytes) {
  Reader reader(bytes);
  Values values;
  const auto count = reader.Get<uint32_t>();
  reader.Require(count <= kMaxValues);
  for (uint32_t i = 0; reader.ok() && i < count; ++i) {
    const auto length = reader.Get<uint32_t>();
    reader.Require(length <= kMaxName);
    std::string name(reader.Take(length));
    Tensor tensor = ReadTensor(reader);
    if (reader.ok()) values.Add(std::move(name), std::move(tensor));
  }
  if (!reader.ok() || !reader.rest().empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("these ", bytes.size(), " bytes hold no named tensors"));
  }
  return values;
}

Values DeepCopy(const Values& values) {
  Values copy;
  for (const auto& [name, tensor] : values) copy.Add(name, Clone(tensor.Detach()));
  return copy;
}

Values InDouble(const Values& values) {
  Values copy;
  for (const auto& [name, tensor] : values) {
    copy.Add(name, tensor.dtype() == DType::kFloat32 ? Cast(tensor, DType::kFloat64) : tensor);
  }
  return copy;
}

}  // namespace lemma::tools::grading
