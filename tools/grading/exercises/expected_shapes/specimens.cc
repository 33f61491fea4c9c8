#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "tools/grading/exercises/expected_shapes/binding.h"
#include "tools/grading/specimen.h"

namespace homework {
namespace {

using lemma::tools::grading::Callable;
using lemma::tools::grading::CallExpectedShapes;
using lemma::tools::grading::Specimen;
using lemma::tools::grading::Specimens;
using lemma::tools::grading::Values;

using Function = std::function<Shapes(int64_t B, int64_t T, int64_t H, int64_t D)>;

Callable Bound(Function function) {
  return [function](const Values& in) { return CallExpectedShapes(function, in); };
}

Shapes Written(int64_t B, int64_t T, int64_t H, int64_t D) {
  return {{B, T, H * D}, {B, T, H, D}, {B, H, T, D}, {B, H, T, T},
          {B, H, T, T},  {B, H, T, D}, {B, T, H * D}};
}

std::vector<int64_t> SizesOf(const Tensor& x) { return {x.shape().begin(), x.shape().end()}; }

// From real tensors.
Shapes Measured(int64_t B, int64_t T, int64_t H, int64_t D) {
  const Tensor q = Zeros({B, T, H * D}), split = Reshape(q, {B, T, H, D});
  const Tensor per_head = Transpose(split, 1, 2);
  const Tensor scores = MatMul(per_head, Transpose(per_head, 2, 3)), weights = Softmax(scores, -1);
  const Tensor context = MatMul(weights, per_head);
  return {SizesOf(q),
          SizesOf(split),
          SizesOf(per_head),
          SizesOf(scores),
          SizesOf(weights),
          SizesOf(context),
          SizesOf(Reshape(Transpose(context, 1, 2), {B, T, -1}))};
}

// Each from the one before it.
Shapes Derived(int64_t B, int64_t T, int64_t H, int64_t D) {
  Shapes s;
  s.q_split_into_heads = {B, T, H, D};
  s.q_per_head = s.q_split_into_heads;
  std::swap(s.q_per_head[1], s.q_per_head[2]);
  s.scores = s.q_per_head;
  s.scores[3] = s.scores[2];
  s.weights = s.scores;
  s.context_per_head = s.q_per_head;
  s.projected_q = {B, T, H * D};
  s.context_merged = s.projected_q;
  return s;
}

template <typename Change>
Specimen Wrong(const char* name, std::vector<std::string> expected, Change change) {
  return {name, Bound([change](int64_t B, int64_t T, int64_t H, int64_t D) {
            Shapes s = Written(B, T, H, D);
            change(s, B, T, H, D);
            return s;
          }),
          std::move(expected)};
}

#define SIZES                                                                                    \
  Shapes &s, [[maybe_unused]] int64_t B, [[maybe_unused]] int64_t T, [[maybe_unused]] int64_t H, \
      [[maybe_unused]] int64_t D

std::vector<Specimen> Mistaken() {
  return {
      Wrong("projected_to_one_head", {"projected/one_head"},
            [](SIZES) {
              s.projected_q = {B, T, D};
            }),
      Wrong("time_before_batch", {"projected/time_first"},
            [](SIZES) {
              s.projected_q = {T, B, H * D};
            }),
      Wrong("split_with_heads_first", {"split/heads_first"},
            [](SIZES) {
              s.q_split_into_heads = {B, H, T, D};
            }),
      Wrong("split_swapped", {"split/swapped"},
            [](SIZES) {
              s.q_split_into_heads = {B, T, D, H};
            }),
      Wrong("not_transposed", {"per_head/not_transposed"},
            [](SIZES) {
              s.q_per_head = {B, T, H, D};
            }),
      Wrong("transposed_too_far", {"per_head/transposed"},
            [](SIZES) {
              s.q_per_head = {B, H, D, T};
            }),
      Wrong("scores_without_heads", {"scores/no_heads"},
            [](SIZES) {
              s.scores = s.weights = {B, T, T};
            }),
      Wrong("scores_of_the_width", {"scores/width"},
            [](SIZES) {
              s.scores = s.weights = {B, H, T, D};
            }),
      Wrong("softmax_reduces", {"weights/reduced"},
            [](SIZES) {
              s.weights = {B, H, T};
            }),
      Wrong("context_is_square", {"context/square"},
            [](SIZES) {
              s.context_per_head = {B, H, T, T};
            }),
      Wrong("heads_not_merged", {"merged/heads_kept"},
            [](SIZES) {
              s.context_merged = {B, T, H, D};
            }),
      Wrong("two_at_once", {"split/swapped", "merged/one_head"},
            [](SIZES) {
              s.q_split_into_heads = {B, T, D, H}, s.context_merged = {B, T, D};
            }),
      Wrong("fixed_sizes", {"other_sizes"},
            [](SIZES) {
              if (B == 5) s = Written(2, 7, 3, 5);
            }),
      Wrong("no_dimension_for_one_head", {"one_head"},
            [](SIZES) {
              if (H == 1) s.scores = s.weights = {B, T, T};
            }),
  };
}

const Specimens kSpecimens("expected_shapes",
                           {{"written", Bound(Written)},
                            {"measured", Bound(Measured)},
                            {"derived", Bound(Derived)}},
                           Mistaken());

}  // namespace
}  // namespace homework
