#include "autograd/kernels/onednn/product.h"

#include <omp.h>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <utility>

#include "autograd/error.h"
#include "autograd/kernels/onednn/api.h"
#include "autograd/kernels/thread_buffer.h"
#include "oneapi/dnnl/dnnl.hpp"

namespace lemma::kernels::onednn {
namespace {

using dnnl::memory;

std::atomic<int64_t> products_created = 0;

// Never destroyed: threads may still hold memory objects of it when the program ends.
const dnnl::engine& Engine() {
  static const auto* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

dnnl_stream_t Stream() {
  static const auto* stream = new dnnl::stream(Engine());
  return stream->get();
}

// While it lives, oneDNN sees one thread. It asks OpenMP for the number both when it plans a
// primitive and when it runs one.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_;
};

memory::data_type DataType(DType dtype) {
  LEMMA_CHECK(dtype == DType::kFloat32 || dtype == DType::kBFloat16);
  return dtype == DType::kFloat32 ? memory::data_type::f32 : memory::data_type::bf16;
}

// A matrix, or a batch of them; a batch stride of 0 makes one matrix that serves all.
memory::desc Matrices(const ProductSpec& spec, DType dtype, int64_t batch_stride, int64_t rows,
                      int64_t cols, int64_t row, int64_t col) {
  if (spec.batch == 1) return {{rows, cols}, DataType(dtype), memory::dims{row, col}};
  if (batch_stride != 0) {
    return {{spec.batch, rows, cols}, DataType(dtype), memory::dims{batch_stride, row, col}};
  }
  const int64_t whole = col == 1 ? rows * row : cols * col;
  return {{1, rows, cols}, DataType(dtype), memory::dims{whole, row, col}};
}

memory::desc BiasDesc(const ProductSpec& spec) {
  if (spec.batch == 1) return {{1, spec.n}, memory::data_type::f32, memory::dims{spec.n, 1}};
  return {{1, 1, spec.n}, memory::data_type::f32, memory::dims{spec.n, spec.n, 1}};
}

void SetData(dnnl_memory_t memory, const void* data) {
  const dnnl_status_t status = dnnl_memory_set_data_handle(memory, const_cast<void*>(data));
  LEMMA_CHECK(status == dnnl_success, "dnnl_memory_set_data_handle returned ",
              static_cast<int>(status));
}

// Each ISA is a mask that contains those of what it extends.
bool Has(dnnl::cpu_isa isa) {
  const auto here = static_cast<unsigned>(dnnl::get_effective_cpu_isa());
  const auto wanted = static_cast<unsigned>(isa);
  return (here & wanted) == wanted;
}

// Of processors with AVX512-BF16: Intel's since Sapphire Rapids multiply bfloat16 fast in their
// tiles alone, which a virtual machine may hide; in vectors they do at half float32's rate
// (measured on Emerald Rapids). AMD's vectors multiply it at twice that rate.
bool HasSlowBFloat16Vectors() {
  return __builtin_cpu_is("intel") && !__builtin_cpu_is("cooperlake");
}

}  // namespace

struct Product::State {
  memory::desc a, b, bias, c, scratchpad;
  bool has_bias;
  dnnl::matmul primitive;
};

// A product's memory objects on one thread.
struct Product::Bound {
  explicit Bound(const State& state)
      : a(state.a, Engine(), nullptr),
        b(state.b, Engine(), nullptr),
        c(state.c, Engine(), nullptr),
        scratchpad(state.scratchpad, Engine(), nullptr),
        arguments{{{DNNL_ARG_SRC, a.get()},
                   {DNNL_ARG_WEIGHTS, b.get()},
                   {DNNL_ARG_DST, c.get()},
                   {DNNL_ARG_SCRATCHPAD, scratchpad.get()}}} {
    if (state.has_bias) {
      bias = memory(state.bias, Engine(), nullptr);
      arguments[4] = {DNNL_ARG_BIAS, bias.get()};
    }
  }

  memory a, b, bias, c, scratchpad;
  std::array<dnnl_exec_arg_t, 5> arguments;
};

std::unique_ptr<const Product> Product::Create(const ProductSpec& spec) {
  if (spec.dtype == DType::kBFloat16) {
    // The AMX kernels of oneDNN 2.6 die of an illegal instruction at some sizes with this depth.
    if (!HasFastBFloat16() || spec.k == 63) return nullptr;
  }
  const OneThread one_thread;
  auto state = std::make_unique<State>();
  state->a = Matrices(spec, spec.dtype, spec.a_batch, spec.m, spec.k, spec.a_row, spec.a_col);
  state->b = Matrices(spec, spec.dtype, spec.b_batch, spec.k, spec.n, spec.b_row, spec.b_col);
  state->c = Matrices(spec, spec.out_dtype, spec.c_batch, spec.m, spec.n, spec.c_row, 1);
  state->has_bias = spec.has_bias;
  if (spec.has_bias) state->bias = BiasDesc(spec);
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (spec.accumulate) {
    dnnl::post_ops post_ops;
    post_ops.append_sum();
    attributes.set_post_ops(post_ops);
  }
  try {
    const auto desc = MatMulPrimitiveDesc(
        Engine(), state->a, state->b, spec.has_bias ? &state->bias : nullptr, state->c, attributes);
    if (std::strncmp(desc.impl_info_str(), "ref", 3) == 0) return nullptr;
    state->scratchpad = desc.scratchpad_desc();
    state->primitive = dnnl::matmul(desc);
  } catch (const dnnl::error& error) {
    LEMMA_CHECK(error.status == dnnl_unimplemented, error.what());
    return nullptr;
  }
  products_created.fetch_add(1, std::memory_order_relaxed);
  return std::unique_ptr<const Product>(new Product(std::move(state)));
}

Product::Product(std::unique_ptr<State> state)
    : id_([] {
        static std::atomic<int64_t> next = 0;
        return next.fetch_add(1);
      }()),
      state_(std::move(state)) {}

Product::~Product() = default;

Product::Bound& Product::BoundHere() const {
  // Products take turns in the slots; one that lost its slot binds anew.
  struct Slot {
    int64_t id = -1;
    std::optional<Bound> bound;
  };
  constexpr int64_t kSlots = 1024;
  thread_local std::unique_ptr<std::array<Slot, kSlots>> slots;
  if (slots == nullptr) slots = std::make_unique<std::array<Slot, kSlots>>();
  Slot& slot = (*slots)[id_ % kSlots];
  if (slot.id != id_) {
    slot.bound.emplace(*state_);
    slot.id = id_;
  }
  return *slot.bound;
}

void Product::Run(const void* a, const void* b, const void* bias, void* c) const {
  thread_local ThreadBuffer scratch;
  Bound& bound = BoundHere();
  SetData(bound.a.get(), a);
  SetData(bound.b.get(), b);
  SetData(bound.c.get(), c);
  SetData(bound.scratchpad.get(), scratch.AtLeast(state_->scratchpad.get_size()));
  if (state_->has_bias) SetData(bound.bias.get(), bias);
  const OneThread one_thread;
  const dnnl_status_t status = dnnl_primitive_execute(
      state_->primitive.get(), Stream(), state_->has_bias ? 5 : 4, bound.arguments.data());
  LEMMA_CHECK(status == dnnl_success, "dnnl_primitive_execute returned ", static_cast<int>(status));
}

bool HasFastBFloat16() {
  static const bool has =
      HasTiles() || (Has(dnnl::cpu_isa::avx512_core_bf16) && !HasSlowBFloat16Vectors());
  return has;
}

bool HasTiles() {
  static const bool has = Has(dnnl::cpu_isa::avx512_core_amx);
  return has;
}

int64_t ProductsCreated() { return products_created.load(std::memory_order_relaxed); }

}  // namespace lemma::kernels::onednn
