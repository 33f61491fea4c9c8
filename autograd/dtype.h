// Element types of tensors.
#ifndef LEMMA_AUTOGRAD_DTYPE_H_
#define LEMMA_AUTOGRAD_DTYPE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace lemma {

enum class DType : uint8_t { kFloat32, kFloat64, kBFloat16, kInt32, kInt64, kBool };

// A float32 with the last 16 bits of its significand rounded away (to nearest, ties to even).
struct BFloat16 {
  BFloat16() = default;
  explicit BFloat16(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const bool is_nan = (word & 0x7fffffffu) > 0x7f800000u;
    bits = is_nan ? static_cast<uint16_t>((word >> 16) | 0x40u)
                  : static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
  explicit BFloat16(double value) : BFloat16(static_cast<float>(value)) {}
  operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

  uint16_t bits;
};
static_assert(sizeof(BFloat16) == 2);

// "float32", "float64", "bfloat16", "int32", "int64", "bool".
const char* Name(DType dtype);

constexpr size_t SizeOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
    case DType::kInt64:
      return 8;
    case DType::kFloat32:
    case DType::kInt32:
      return 4;
    case DType::kBFloat16:
      return 2;
    case DType::kBool:
      return 1;
  }
  return 0;
}

// Only tensors of these types can require a gradient.
constexpr bool IsFloat(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kBFloat16;
}

// The DType of a C++ type: DTypeOf<float>() is kFloat32.
template <typename T>
constexpr DType DTypeOf() {
  if constexpr (std::is_same_v<T, float>) {
    return DType::kFloat32;
  } else if constexpr (std::is_same_v<T, double>) {
    return DType::kFloat64;
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return DType::kBFloat16;
  } else if constexpr (std::is_same_v<T, int32_t>) {
    return DType::kInt32;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return DType::kInt64;
  } else {
    static_assert(std::is_same_v<T, bool>, "no tensor has elements of this type");
    return DType::kBool;
  }
}

// The type that sums of T are kept in: float for bfloat16, T itself for other types.
template <typename T>
using Accumulator = std::conditional_t<std::is_same_v<T, BFloat16>, float, T>;

// Calls fn.template operator()<T>() with the C++ type of `dtype`:
//   VisitDType(x.dtype(), [&]<typename T>() { Fill(x.data<T>(), ...); });
template <typename Fn>
decltype(auto) VisitDType(DType dtype, Fn&& fn) {
  switch (dtype) {
    case DType::kFloat32:
      return fn.template operator()<float>();
    case DType::kFloat64:
      return fn.template operator()<double>();
    case DType::kBFloat16:
      return fn.template operator()<BFloat16>();
    case DType::kInt32:
      return fn.template operator()<int32_t>();
    case DType::kInt64:
      return fn.template operator()<int64_t>();
    case DType::kBool:
      return fn.template operator()<bool>();
  }
  __builtin_unreachable();
}

// The same over the float types alone; `dtype` must be one (ops check it before).
template <typename Fn>
decltype(auto) VisitFloat(DType dtype, Fn&& fn) {
  switch (dtype) {
    case DType::kFloat64:
      return fn.template operator()<double>();
    case DType::kBFloat16:
      return fn.template operator()<BFloat16>();
    default:
      return fn.template operator()<float>();
  }
}

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_DTYPE_H_
