#include "autograd/ops/registry.h"

#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/extremes.h"
#include "autograd/ops/gather.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/index.h"
#include "autograd/ops/join.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/linear_cross_entropy.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/maximum.h"
#include "autograd/ops/mixed_linear.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/pow.h"
#include "autograd/ops/reshape.h"
#include "autograd/ops/slice.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/statistics.h"
#include "autograd/ops/sum.h"
#include "autograd/ops/triangle.h"

namespace lemma {
namespace {

// One line for each header.
// clang-format off
constexpr const OpDef* kOps[] = {
    &kAdd, &kSub, &kMul, &kDiv, &kNeg,
    &kAttention, &kPackedAttention,
    &kCast,
    &kEqual, &kNotEqual, &kLess, &kLessEqual, &kGreater, &kGreaterEqual, &kIsFinite,
        &kLogicalNot, &kLogicalAnd, &kLogicalOr, &kWhere, &kMaskedFill,
    &kCrossEntropy,
    &kDropout,
    &kMax, &kMin, &kAMax, &kAMin, &kArgMax, &kArgMin, &kTopK,
    &kGather, &kScatterAdd, &kOneHot,
    &kGelu,
    &kIndexSelect, &kIndexAdd, &kEmbedding,
    &kConcat,
    &kLayerNorm,
    &kLinearCrossEntropy,
    &kMatMul, &kLinear,
    &kMaximum, &kMinimum,
    &kMixedLinear,
    &kExp, &kLog, &kLog1p, &kSqrt, &kRsqrt, &kSin, &kCos, &kErf, &kTanh, &kSigmoid, &kRelu, &kSilu,
        &kAbs, &kSign, &kClamp,
    &kPow,
    &kReshape, &kPermute, &kExpand, &kAlias, &kClone,
    &kSlice, &kSelect, &kPadSlice,
    &kSoftmax, &kLogSoftmax,
    &kVar, &kNorm, &kLogSumExp,
    &kSum, &kMean, &kCumSum,
    &kTril, &kTriu,
};
// clang-format on

}  // namespace

absl::Span<const OpDef* const> AllOps() { return kOps; }

const OpDef* FindOp(absl::string_view name) {
  for (const OpDef* op : kOps) {
    if (name == op->name) return op;
  }
  return nullptr;
}

}  // namespace lemma
