#include "tests/torch_ops/table.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/attention.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/compare.h"
#include "autograd/ops/cross_entropy.h"
#include "autograd/ops/gelu.h"
#include "autograd/ops/index.h"
#include "autograd/ops/join.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/maximum.h"
#include "autograd/ops/pointwise.h"
#include "autograd/ops/pow.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/softmax.h"
#include "autograd/ops/views.h"
#include "autograd/shape.h"

namespace lemma::torch_ops {
namespace {

using A = const Arguments&;
using Outputs = std::vector<Tensor>;

template <Tensor (*kFunction)(Tensor)>
Outputs Unary(A a) {
  return {kFunction(a.tensor(0))};
}

template <Tensor (*kFunction)(Tensor, Tensor)>
Outputs Binary(A a) {
  return {kFunction(a.tensor(0), a.tensor(1))};
}

template <Tensor (*kFunction)(Tensor, Tensor), Tensor (*kWithNumber)(Tensor, double)>
Outputs Binary(A a) {
  if (a.is_tensor(1)) return Binary<kFunction>(a);
  return {kWithNumber(a.tensor(0), a.number(1))};
}

// Of x, dim and keepdim, where no dim means all of them.
template <Tensor (*kFunction)(Tensor, absl::Span<const int64_t>, bool)>
Outputs OverDims(A a) {
  return {kFunction(a.tensor(0), a.dims(1, "dim"), a.boolean(2, "keepdim", false))};
}
template <Tensor (*kFunction)(const Tensor&, absl::Span<const int64_t>, bool)>
Outputs OverDims(A a) {
  return {kFunction(a.tensor(0), a.dims(1, "dim"), a.boolean(2, "keepdim", false))};
}

template <Tensor (*kOfAll)(const Tensor&), Tensor (*kAlongDim)(const Tensor&, int64_t, bool)>
Outputs IndexReduction(A a) {
  if (!a.has(1, "dim")) return {kOfAll(a.tensor(0))};
  return {kAlongDim(a.tensor(0), a.integer(1, "dim"), a.boolean(2, "keepdim", false))};
}

template <ValuesAndIndices (*kFunction)(const Tensor&, int64_t, bool)>
Outputs Extreme(A a) {
  ValuesAndIndices found =
      kFunction(a.tensor(0), a.integer(1, "dim"), a.boolean(2, "keepdim", false));
  return {found.values, found.indices};
}

template <Tensor (*kFunction)(Tensor, int64_t)>
Outputs AlongDim(A a) {
  return {kFunction(a.tensor(0), a.integer(1))};
}

template <Tensor (*kFunction)(Tensor, int64_t)>
Outputs Triangle(A a) {
  return {kFunction(a.tensor(0), a.integer(1, "diagonal", 0))};
}

Outputs TorchAdd(A a) {
  const double alpha = a.number(-1, "alpha", 1);
  return {Add(a.tensor(0), alpha == 1 ? a.tensor(1) : Mul(a.tensor(1), alpha))};
}

Outputs TorchSub(A a) {
  const double alpha = a.number(-1, "alpha", 1);
  return {Sub(a.tensor(0), alpha == 1 ? a.tensor(1) : Mul(a.tensor(1), alpha))};
}

Outputs TorchGelu(A a) {
  const std::string form = a.text(-1, "approximate", "none");
  if (form != "none" && form != "tanh") throw NotMapped("approximate=" + form);
  return {Gelu(a.tensor(0), form == "tanh" ? GeluForm::kTanh : GeluForm::kExact)};
}

// Bounds are numbers here; tensors as bounds are Maximum and Minimum.
Outputs TorchClamp(A a) {
  Tensor x = a.tensor(0);
  if (!a.is_tensor(1)) return {Clamp(x, a.maybe_number(1, "min"), a.maybe_number(2, "max"))};
  x = Maximum(x, Cast(a.tensor(1), x.dtype()));
  if (!a.has(2)) return {x};
  return {Minimum(x, Cast(a.tensor(2), x.dtype()))};
}

// As a function the condition comes first, as a method of a tensor it comes second.
Outputs TorchWhere(A a) {
  const int condition = a.tensor(0).dtype() == DType::kBool ? 0 : 1;
  return {Where(a.tensor(condition), a.tensor(1 - condition), a.tensor(2))};
}

Outputs TorchMaskedFill(A a) {
  if (a.is_tensor(2)) return {Where(a.tensor(1), a.tensor(2), a.tensor(0))};
  return {MaskedFill(a.tensor(0), a.tensor(1), a.number(2))};
}

Outputs TorchVar(A a) {
  // The second argument is `unbiased` where it is a bool, else the dimensions.
  const bool second_is_dim = a.size() > 1 && !a.is_boolean(1);
  const double unbiased =
      a.boolean(second_is_dim || a.size() < 2 ? -1 : 1, "unbiased", true) ? 1 : 0;
  return {Var(a.tensor(0), a.dims(second_is_dim ? 1 : -1, "dim"),
              a.number(-1, "correction", unbiased), a.boolean(-1, "keepdim", false))};
}

Outputs TorchNorm(A a) {
  return {
      Norm(a.tensor(0), a.number(1, "ord", 2), a.dims(2, "dim"), a.boolean(3, "keepdim", false))};
}

Outputs TorchTopK(A a) {
  ValuesAndIndices top = TopK(a.tensor(0), a.integer(1), a.integer(2, "dim", -1),
                              a.boolean(3, "largest", true), a.boolean(4, "sorted", true));
  return {top.values, top.indices};
}

// The new shape is one list or all that follow.
Outputs TorchExpand(A a) {
  Shape shape;
  for (int i = 1; i < a.size(); ++i) {
    for (int64_t size : a.dims(i, "")) shape.Append(size);
  }
  return {Expand(a.tensor(0), shape)};
}

Outputs TorchSqueeze(A a) {
  return {a.has(1) ? Squeeze(a.tensor(0), a.integer(1)) : Squeeze(a.tensor(0))};
}

Outputs TorchSplit(A a) { return Split(a.tensor(0), a.integer(1), a.integer(2, "dim", 0)); }
Outputs TorchSplitSizes(A a) { return Split(a.tensor(0), a.dims(1, ""), a.integer(2, "dim", 0)); }
Outputs TorchCat(A a) { return {Concat(a.tensors(0), a.integer(1, "dim", 0))}; }
Outputs TorchStack(A a) { return {Stack(a.tensors(0), a.integer(1, "dim", 0))}; }

// From `start`, a number or a tensor with one element, `length` elements along `dim`.
Outputs TorchNarrow(A a) {
  const int64_t start = a.is_tensor(2) ? static_cast<int64_t>(a.tensor(2).Item()) : a.integer(2);
  return {Slice(a.tensor(0), a.integer(1), start, start + a.integer(3))};
}

// An index of int32 is converted: indices are int64 here.
Outputs TorchGather(A a) {
  return {Gather(a.tensor(0), a.integer(1), Cast(a.tensor(2), DType::kInt64))};
}
Outputs TorchScatterAdd(A a) {
  return {ScatterAdd(a.tensor(0), a.integer(1), a.tensor(2), a.tensor(3))};
}
Outputs TorchIndexSelect(A a) { return {IndexSelect(a.tensor(0), a.integer(1), a.tensor(2))}; }
Outputs TorchEmbedding(A a) { return {Embedding(a.tensor(1), a.tensor(0))}; }

// A vector as weight gives no dimension of outputs: that is a product here.
Outputs TorchLinear(A a) {
  if (a.tensor(1).rank() == 1) return {MatMul(a.tensor(0), a.tensor(1))};
  return {Linear(a.tensor(0), a.tensor(1), a.maybe_tensor(2))};
}

Reduction ReductionNamed(const std::string& name) {
  if (name == "none") return Reduction::kNone;
  return name == "sum" ? Reduction::kSum : Reduction::kMean;
}

Outputs TorchCrossEntropy(A a) {
  return {CrossEntropy(a.tensor(0), a.tensor(1),
                       {.reduction = ReductionNamed(a.text(-1, "reduction", "mean")),
                        .ignore_index = a.integer(-1, "ignore_index", -100),
                        .label_smoothing = a.number(-1, "label_smoothing", 0)})};
}

Outputs TorchMseLoss(A a) {
  Tensor squares = Square(a.tensor(0) - a.tensor(1));
  switch (ReductionNamed(a.text(-1, "reduction", "mean"))) {
    case Reduction::kNone:
      return {squares};
    case Reduction::kSum:
      return {Sum(squares)};
    default:
      return {Mean(squares)};
  }
}

Outputs TorchLayerNorm(A a) {
  return {LayerNorm(a.tensor(0), a.dims(1, ""), a.maybe_tensor(2), a.maybe_tensor(3),
                    a.number(4, "eps", 1e-5))};
}

// `enable_gqa` repeats heads of k and v; all samples have as many as q has.
Outputs TorchAttention(A a) {
  if (a.number(-1, "dropout_p", 0) != 0) throw NotMapped("dropout_p");
  if (a.boolean(-1, "enable_gqa", false) && a.tensor(0).size(-3) != a.tensor(1).size(-3)) {
    throw NotMapped("enable_gqa");
  }
  return {ScaledDotProductAttention(
      a.tensor(0), a.tensor(1), a.tensor(2),
      {.causal = a.boolean(-1, "is_causal", false), .mask = a.maybe_tensor(-1, "attn_mask")})};
}

const Operator kOperators[] = {
    {"add", TorchAdd},
    {"sub", TorchSub},
    {"mul", Binary<Mul>},
    {"div/no_rounding_mode", Binary<Div>},
    {"neg", Unary<Neg>},
    {"pow", Binary<Pow, Pow>},
    {"exp", Unary<Exp>},
    {"log", Unary<Log>},
    {"log1p", Unary<Log1p>},
    {"sqrt", Unary<Sqrt>},
    {"rsqrt", Unary<Rsqrt>},
    {"sin", Unary<Sin>},
    {"cos", Unary<Cos>},
    {"erf", Unary<Erf>},
    {"tanh", Unary<Tanh>},
    {"sigmoid", Unary<Sigmoid>},
    {"nn.functional.relu", Unary<Relu>},
    {"nn.functional.gelu", TorchGelu},
    {"nn.functional.silu", Unary<Silu>},
    {"abs", Unary<Abs>},
    {"clamp", TorchClamp},
    {"maximum", Binary<Maximum, Maximum>},
    {"minimum", Binary<Minimum, Minimum>},
    {"max/binary", Binary<Maximum, Maximum>},
    {"min/binary", Binary<Minimum, Minimum>},
    {"where", TorchWhere},
    {"masked_fill", TorchMaskedFill},
    {"lt", Binary<Less, Less>},
    {"le", Binary<LessEqual, LessEqual>},
    {"gt", Binary<Greater, Greater>},
    {"ge", Binary<GreaterEqual, GreaterEqual>},
    {"eq", Binary<Equal, Equal>},
    {"ne", Binary<NotEqual, NotEqual>},
    {"sum", OverDims<Sum>},
    {"mean", OverDims<Mean>},
    {"amax", OverDims<AMax>},
    {"amin", OverDims<AMin>},
    {"max/reduction_with_dim", Extreme<Max>},
    {"max/reduction_no_dim", [](A a) -> Outputs { return {Max(a.tensor(0))}; }},
    {"min/reduction_with_dim", Extreme<Min>},
    {"min/reduction_no_dim", [](A a) -> Outputs { return {Min(a.tensor(0))}; }},
    {"argmax", IndexReduction<ArgMax, ArgMax>},
    {"argmin", IndexReduction<ArgMin, ArgMin>},
    {"var", TorchVar},
    {"var/unbiased", TorchVar},
    {"linalg.vector_norm", TorchNorm},
    {"logsumexp", OverDims<LogSumExp>},
    {"cumsum", [](A a) -> Outputs { return {CumSum(a.tensor(0), a.integer(1))}; }},
    {"topk", TorchTopK},
    {"reshape", [](A a) -> Outputs { return {Reshape(a.tensor(0), Shape(a.dims(1, "")))}; }},
    {"transpose",
     [](A a) -> Outputs { return {Transpose(a.tensor(0), a.integer(1), a.integer(2))}; }},
    {"permute", [](A a) -> Outputs { return {Permute(a.tensor(0), a.dims(1, ""))}; }},
    {"split", TorchSplit},
    {"split/list_args", TorchSplitSizes},
    {"cat", TorchCat},
    {"stack", TorchStack},
    {"expand", TorchExpand},
    {"tril", Triangle<Tril>},
    {"triu", Triangle<Triu>},
    {"gather", TorchGather},
    {"index_select", TorchIndexSelect},
    {"scatter_add", TorchScatterAdd},
    {"clone", [](A a) -> Outputs { return {Clone(a.tensor(0))}; }},
    {"narrow", TorchNarrow},
    {"unsqueeze", AlongDim<Unsqueeze>},
    {"squeeze", TorchSqueeze},
    {"matmul", Binary<MatMul>},
    {"nn.functional.linear", TorchLinear},
    {"softmax", AlongDim<Softmax>},
    {"log_softmax", AlongDim<LogSoftmax>},
    {"nn.functional.cross_entropy", TorchCrossEntropy},
    {"nn.functional.layer_norm", TorchLayerNorm},
    {"nn.functional.embedding", TorchEmbedding},
    {"nn.functional.scaled_dot_product_attention", TorchAttention},
    {"nn.functional.mse_loss", TorchMseLoss},
};

const char kNoConvolution[] = "there are no convolutions and poolings";
const char kNoOtherNorm[] = "there is no batch and RMS norm";
const char kAlignedAtEnd[] = "causal masks are aligned at the end here, at the start there";
const char kRandom[] = "dropout draws from another generator than the sample did";
const char kNoWeights[] = "classes have no weights";
const char kRounds[] =
    "exp(x - y) at y = 10000.69 is 2e-4 off in float32; PyTorch's gradient there is the same";
const char kNoUint8[] = "tensors have no uint8 elements";
const char kNoOut[] = "there is no `out`: results are always new";
const char kNumberAllowed[] = "a number may stand beside a tensor here";
const char kDoesNotCompile[] = "there is no overload for it: the compiler refuses it";
const char kOneDevice[] = "refused for tensors on two devices; there is one";
const char kAnyValue[] = "Where, which it maps to, takes a value of any shape that broadcasts";
const char kPythonSlice[] = "Slice, which it maps to, counts a negative end from the back";

const LeftOut kLeftOut[] = {
    {What::kOperator, "nn.functional.conv2d", -1, kNoConvolution},
    {What::kOperator, "nn.functional.max_pool2d", -1, kNoConvolution},
    {What::kOperator, "nn.functional.avg_pool2d", -1, kNoConvolution},
    {What::kOperator, "nn.functional.batch_norm", -1, kNoOtherNorm},
    {What::kOperator, "nn.functional.rms_norm", -1, kNoOtherNorm},

    {What::kSample, "gather", 3, kNoUint8},
    {What::kSample, "nn.functional.cross_entropy", 11, kNoWeights},
    {What::kSample, "nn.functional.cross_entropy", 12, kNoWeights},
    {What::kSample, "nn.functional.cross_entropy", 13, kNoWeights},
    {What::kSample, "nn.functional.cross_entropy", 14, kNoWeights},
    {What::kSample, "nn.functional.scaled_dot_product_attention", 0, kAlignedAtEnd},
    {What::kSample, "nn.functional.scaled_dot_product_attention", 1, kAlignedAtEnd},
    {What::kSample, "nn.functional.scaled_dot_product_attention", 2, kRandom},
    {What::kSample, "nn.functional.scaled_dot_product_attention", 5, kRandom},

    {What::kInFloat32, "edge", 21, kRounds},

    {What::kRefused, "pow", 0, kDoesNotCompile},
    {What::kRefused, "nn.functional.gelu", 0, kDoesNotCompile},
    {What::kRefused, "maximum", 0, kNumberAllowed},
    {What::kRefused, "maximum", 1, kDoesNotCompile},
    {What::kRefused, "maximum", 2, kDoesNotCompile},
    {What::kRefused, "minimum", 0, kNumberAllowed},
    {What::kRefused, "minimum", 1, kDoesNotCompile},
    {What::kRefused, "minimum", 2, kDoesNotCompile},
    {What::kRefused, "max/binary", 0, kNumberAllowed},
    {What::kRefused, "max/binary", 1, kDoesNotCompile},
    {What::kRefused, "max/binary", 2, kDoesNotCompile},
    {What::kRefused, "min/binary", 0, kNumberAllowed},
    {What::kRefused, "min/binary", 1, kDoesNotCompile},
    {What::kRefused, "min/binary", 2, kDoesNotCompile},
    {What::kRefused, "where", 0, kOneDevice},
    {What::kRefused, "where", 1, kOneDevice},
    {What::kRefused, "where", 2, kOneDevice},
    {What::kRefused, "where", 3, kOneDevice},
    {What::kRefused, "where", 4, kOneDevice},
    {What::kRefused, "where", 5, kOneDevice},
    {What::kRefused, "masked_fill", 0, kAnyValue},
    {What::kRefused, "lt", 0, kDoesNotCompile},
    {What::kRefused, "lt", 1, kDoesNotCompile},
    {What::kRefused, "le", 0, kDoesNotCompile},
    {What::kRefused, "le", 1, kDoesNotCompile},
    {What::kRefused, "gt", 0, kDoesNotCompile},
    {What::kRefused, "gt", 1, kDoesNotCompile},
    {What::kRefused, "ge", 0, kDoesNotCompile},
    {What::kRefused, "ge", 1, kDoesNotCompile},
    {What::kRefused, "eq", 0, kDoesNotCompile},
    {What::kRefused, "eq", 1, kDoesNotCompile},
    {What::kRefused, "ne", 0, kDoesNotCompile},
    {What::kRefused, "ne", 1, kDoesNotCompile},
    {What::kRefused, "amax", 3, kNoOut},
    {What::kRefused, "amax", 4, kNoOut},
    {What::kRefused, "amin", 3, kNoOut},
    {What::kRefused, "amin", 4, kNoOut},
    {What::kRefused, "gather", 1, kNoOut},
    {What::kRefused, "gather", 5, kNoOut},
    {What::kRefused, "gather", 6, kNoOut},
    {What::kRefused, "gather", 7, kNoOut},
    {What::kRefused, "index_select", 0, kNoOut},
    {What::kRefused, "narrow", 1, kPythonSlice},
};

}  // namespace

absl::Span<const Operator> Operators() { return kOperators; }

const Operator* FindOperator(const std::string& name) {
  for (const Operator& op : kOperators) {
    if (name == op.name) return &op;
  }
  return nullptr;
}

absl::Span<const LeftOut> AllLeftOut() { return kLeftOut; }

const LeftOut* FindLeftOut(What what, const std::string& op, int index) {
  for (const LeftOut& entry : kLeftOut) {
    if (entry.what == what && entry.index == index && op == entry.op) return &entry;
  }
  return nullptr;
}

}  // namespace lemma::torch_ops
