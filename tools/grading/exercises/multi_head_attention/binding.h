// How the grader's named tensors become the arguments of the exercise's function.
#ifndef LEMMA_TOOLS_GRADING_EXERCISES_MULTI_HEAD_ATTENTION_BINDING_H_
#define LEMMA_TOOLS_GRADING_EXERCISES_MULTI_HEAD_ATTENTION_BINDING_H_

#include "autograd/random.h"
#include "tools/grading/exercises/multi_head_attention/multi_head_attention.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {

template <typename Function>
Values CallMultiHeadAttention(const Function& function, const Values& in) {
  const int64_t width = in["W_q"].size(1), out = in["W_q"].size(0);
  const nn::LinearOptions project = {.in = width, .out = out, .bias = false};
  Generator generator(static_cast<uint64_t>(in.Int("dropout_seed")));
  homework::MultiHeadAttention layer = {
      .W_q = nn::Linear(project),
      .W_k = nn::Linear(project),
      .W_v = nn::Linear(project),
      .out_proj = nn::Linear({.in = out, .out = out}),
      .dropout = nn::Dropout(in.Number("dropout"), &generator),
      .heads = in.Int("heads"),
  };
  layer.W_q.weight = in["W_q"];
  layer.W_k.weight = in["W_k"];
  layer.W_v.weight = in["W_v"];
  layer.out_proj.weight = in["W_o"];
  layer.out_proj.bias = in["b_o"];
  layer.dropout.Train(in.Int("training") != 0);
  return Values().Add("out", function(layer, in["x"]));
}

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_EXERCISES_MULTI_HEAD_ATTENTION_BINDING_H_
