#include "autograd/ops/cast.h"

#include <utility>

#include "autograd/kernels/simd/convert.h"
#include "autograd/node.h"
#include "autograd/ops/checks.h"
#include "autograd/ops/loops.h"

namespace lemma {

Tensor Cast(Tensor x, DType dtype) {
  CheckDefined(kCast.name, "x", x);
  if (x.dtype() == dtype) return x;
  return Call(kCast, dtype, std::move(x));
}

namespace {

void CastShape(OpCall& call) {
  CheckDefined(call.name(), "x", call.in(0));
  call.AddOutput(call.in(0).shape(), call.attributes<DType>());
}

// Whether x is kept anyway: by its owner, or by its inputs as a recipe. Then keeping it makes the
// cast a recipe too, at no cost.
// Under Recompute nothing is.
bool IsKeptAnyway(const Tensor& x) {
  const Edge* edge = x.edge();
  if (SavedValues::Current() != nullptr) return false;
  return edge != nullptr &&
         (edge->node->is_leaf() || (edge->node->op().cheap && edge->node->has_all_inputs()));
}

template <typename From, typename To>
bool ConvertFast(const Tensor& x, Tensor& y) {
  if (x.dtype() != DTypeOf<From>() || y.dtype() != DTypeOf<To>() || !x.IsContiguous()) return false;
  kernels::simd::Convert(x.numel(), x.data<From>(), y.mutable_data<To>());
  return true;
}

void CastForward(OpCall& call) {
  if (IsKeptAnyway(call.in(0))) call.SaveInput(0);
  if (ConvertFast<float, BFloat16>(call.in(0), call.out(0))) return;
  if (ConvertFast<BFloat16, float>(call.in(0), call.out(0))) return;
  VisitDType(call.in(0).dtype(), [&]<typename From>() {
    VisitDType(call.attributes<DType>(), [&]<typename To>() {
      UnaryLoop<To, From>(
          call.in(0), [](Accumulator<From> x) { return x; }, call.out(0));
    });
  });
}

// dx = dy, in the type of x
void CastVjp(const VjpCall& call, GradSink& grads) {
  grads.Add(0, Cast(call.dout(0), call.in_spec(0).dtype));
}

}  // namespace

const OpDef kCast = {
    .name = "cast", .shape = CastShape, .forward = CastForward, .vjp = CastVjp, .cheap = true};

}  // namespace lemma
