// Texts that PyTorch 2.15 printed, with "torch." dropped from the dtypes.
#include "autograd/print.h"

#include <cstdint>
#include <limits>
#include <sstream>
#include <string>

#include "autograd/create.h"
#include "autograd/dtype.h"
#include "autograd/ops/arithmetic.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/views.h"
#include "autograd/tensor.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

struct Case {
  Tensor tensor;
  std::string text;
};

TEST(Print, GivesTheTextOfPyTorch) {
  const Case cases[] = {
      {FromValues<float>({1, 2, 3}), "tensor([1., 2., 3.])"},
      {FromValues<float>({1, 2.5, -3}), "tensor([ 1.0000,  2.5000, -3.0000])"},
      {FromValues<float>({1, 2, 3, 4.5}, {2, 2}),
       "tensor([[1.0000, 2.0000],\n"
       "        [3.0000, 4.5000]])"},
      {FromValues<double>({1, -0.0, 1e8}, {3, 1}),
       "tensor([[1.0000e+00],\n"
       "        [-0.0000e+00],\n"
       "        [1.0000e+08]], dtype=float64)"},
      {FromValues<float>({0.1, 200}), "tensor([1.0000e-01, 2.0000e+02])"},
      {FromValues<float>({1e-5, 1}), "tensor([1.0000e-05, 1.0000e+00])"},
      {FromValues<float>({1, 1001}), "tensor([1.0000e+00, 1.0010e+03])"},
      {FromValues<float>({1, 1000}), "tensor([   1., 1000.])"},
      {FromValues<float>({2e8, 3e8}), "tensor([2.0000e+08, 3.0000e+08])"},
      {FromValues<float>({0, inf, nan, -2}), "tensor([ 0., inf, nan, -2.])"},
      {FromValues<float>({nan, 0.5, -inf}), "tensor([   nan, 0.5000,   -inf])"},
      {FromValues<float>({nan, 1e-9, -inf}), "tensor([       nan, 1.0000e-09,       -inf])"},
      {FromValues<float>({nan, 0, -inf}), "tensor([nan, 0., -inf])"},
      {Scalar(3.25), "tensor(3.2500)"},
      {Scalar(7, DType::kInt64), "tensor(7)"},
      {FromValues<bool>({true, false}), "tensor([ True, False])"},
      {FromValues<int64_t>({1, -20, 300}, {1, 3}), "tensor([[  1, -20, 300]])"},
      {FromValues<int32_t>({5}), "tensor([5], dtype=int32)"},
      {Cast(FromValues<float>({0.1, 3}), DType::kBFloat16),
       "tensor([0.1001, 3.0000], dtype=bfloat16)"},
      {Zeros({0}), "tensor([])"},
      {Zeros({2, 0}), "tensor([], size=(2, 0))"},
      {Zeros({0}, DType::kInt64), "tensor([], dtype=int64)"},
      {Zeros({1, 0, 3}, DType::kFloat64), "tensor([], size=(1, 0, 3), dtype=float64)"},
      {Reshape(Arange(12), {2, 3, 2}),
       "tensor([[[ 0,  1],\n"
       "         [ 2,  3],\n"
       "         [ 4,  5]],\n"
       "\n"
       "        [[ 6,  7],\n"
       "         [ 8,  9],\n"
       "         [10, 11]]])"},
      {Transpose(Reshape(Arange(6), {2, 3}), 0, 1),
       "tensor([[0, 3],\n"
       "        [1, 4],\n"
       "        [2, 5]])"},
      {Arange(25),
       "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
       "        18, 19, 20, 21, 22, 23, 24])"},
      {Arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"},
      {Cast(Reshape(Arange(3000), {1000, 3}), DType::kFloat32),
       "tensor([[0.0000e+00, 1.0000e+00, 2.0000e+00],\n"
       "        [3.0000e+00, 4.0000e+00, 5.0000e+00],\n"
       "        [6.0000e+00, 7.0000e+00, 8.0000e+00],\n"
       "        ...,\n"
       "        [2.9910e+03, 2.9920e+03, 2.9930e+03],\n"
       "        [2.9940e+03, 2.9950e+03, 2.9960e+03],\n"
       "        [2.9970e+03, 2.9980e+03, 2.9990e+03]])"},
      {Reshape(Arange(1120), {2, 1, 7, 80}),
       "tensor([[[[   0,    1,    2,  ...,   77,   78,   79],\n"
       "          [  80,   81,   82,  ...,  157,  158,  159],\n"
       "          [ 160,  161,  162,  ...,  237,  238,  239],\n"
       "          ...,\n"
       "          [ 320,  321,  322,  ...,  397,  398,  399],\n"
       "          [ 400,  401,  402,  ...,  477,  478,  479],\n"
       "          [ 480,  481,  482,  ...,  557,  558,  559]]],\n"
       "\n"
       "\n"
       "        [[[ 560,  561,  562,  ...,  637,  638,  639],\n"
       "          [ 640,  641,  642,  ...,  717,  718,  719],\n"
       "          [ 720,  721,  722,  ...,  797,  798,  799],\n"
       "          ...,\n"
       "          [ 880,  881,  882,  ...,  957,  958,  959],\n"
       "          [ 960,  961,  962,  ..., 1037, 1038, 1039],\n"
       "          [1040, 1041, 1042,  ..., 1117, 1118, 1119]]]])"},
      {Full({12}, 1.0 / 3, DType::kFloat64),
       "tensor([0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333,\n"
       "        0.3333, 0.3333, 0.3333], dtype=float64)"},
      {Full({7}, 1.0 / 3, DType::kFloat64).SetRequiresGrad(true),
       "tensor([0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333, 0.3333], dtype=float64,\n"
       "       requires_grad=True)"},
      {Ones({2}).SetRequiresGrad(true), "tensor([1., 1.], requires_grad=True)"},
  };
  for (const Case& c : cases) EXPECT_EQ(ToString(c.tensor), c.text);
}

TEST(Print, NamesTheOpOfAResult) {
  const Tensor x = Ones({2}).SetRequiresGrad(true);
  EXPECT_EQ(ToString(x * 3), "tensor([3., 3.], grad_fn=<mul>)");
}

TEST(Print, ShowsAViewAndNotItsStorage) {
  const Tensor x = Reshape(Arange(6), {2, 3});
  EXPECT_EQ(ToString(Select(x, 1, 2)), "tensor([2, 5])");
  EXPECT_EQ(ToString(Expand(Scalar(1), {2, 2})), "tensor([[1., 1.],\n        [1., 1.]])");
}

TEST(Print, WritesToStreams) {
  std::ostringstream out;
  out << Scalar(0.5) << " and " << Tensor();
  EXPECT_EQ(out.str(), "tensor(0.5000) and tensor(undefined)");
}

}  // namespace
}  // namespace lemma
