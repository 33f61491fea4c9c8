#include "autograd/create.h"
#include "autograd/ops/index.h"
#include "autograd/ops/join.h"
#include "autograd/ops/views.h"
#include "tests/every_op/sample.h"

namespace lemma::every_op {
namespace {

void AddViews(std::vector<Sample>& samples) {
  Draws draws(21);
  const auto add = [&](const char* op, const char* name, const Tensor& x, auto fn) {
    samples.push_back({.op = op, .name = name, .inputs = {x}, .call = One(fn)});
  };
  const auto to = [](const Shape& shape) {
    return [shape](Tensor x) { return Reshape(std::move(x), shape); };
  };
  add("reshape", "view", draws.Normal({2, 6}), to({3, -1}));
  add("reshape", "copy", StoredTransposed(draws.Normal({2, 6})), to({3, 4}));
  add("reshape", "stored apart", StoredApart(draws.Normal({2, 6})), to({4, 3}));
  add("reshape", "to scalar", draws.Normal({1, 1}), to({}));
  add("reshape", "from scalar", draws.Normal({}), to({1}));
  add("reshape", "empty", draws.Normal({0, 3}), to({5, 0}));
  add("reshape", "unsqueeze", draws.Normal({2, 3}),
      [](Tensor x) { return Unsqueeze(std::move(x), 1); });
  add("reshape", "flatten", draws.Normal({2, 3, 2}),
      [](Tensor x) { return Flatten(std::move(x), 1); });

  add("permute", "transpose", draws.Normal({2, 3}),
      [](Tensor x) { return Transpose(std::move(x), 0, 1); });
  add("permute", "cycle", StoredApart(draws.Normal({2, 3, 2})), [](Tensor x) {
    return Permute(std::move(x), {2, 0, 1});
  });
  add("permute", "scalar", draws.Normal({}), [](Tensor x) { return Permute(std::move(x), {}); });
  add("permute", "empty", draws.Normal({0, 3}),
      [](Tensor x) { return Transpose(std::move(x), 0, 1); });

  const auto expand = [](const Shape& shape) {
    return [shape](Tensor x) { return Expand(std::move(x), shape); };
  };
  add("expand", "row", draws.Normal({1, 3}), expand({2, 3}));
  add("expand", "new dimension", draws.Normal({2, 1}), expand({3, -1, 2}));
  add("expand", "scalar", draws.Normal({}), expand({2, 2}));
  add("expand", "to nothing", draws.Normal({1, 3}), expand({0, 3}));

  add("alias", "matrix", draws.Normal({2, 3}), Alias);
  add("alias", "scalar", draws.Normal({}), Alias);
  add("clone", "matrix", draws.Normal({2, 3}), [](Tensor x) { return Clone(x); });
  add("clone", "stored transposed", StoredTransposed(draws.Normal({2, 3})), Contiguous);
  add("clone", "expanded", Expand(draws.Normal({1, 3}), {2, 3}), [](Tensor x) { return Clone(x); });
  add("clone", "empty", draws.Normal({0}), [](Tensor x) { return Clone(x); });

  const auto slice = [](int64_t dim, int64_t start, int64_t end, int64_t step) {
    return [=](Tensor x) { return Slice(std::move(x), dim, start, end, step); };
  };
  add("slice", "rows", draws.Normal({4, 3}), slice(0, 1, 3, 1));
  add("slice", "every second column", draws.Normal({2, 5}), slice(-1, 0, kToEnd, 2));
  add("slice", "of a stored transposed", StoredTransposed(draws.Normal({4, 3})),
      slice(0, -3, kToEnd, 2));
  add("slice", "nothing", draws.Normal({4, 3}), slice(0, 2, 2, 1));
  add("slice", "of nothing", draws.Normal({0, 3}), slice(1, 1, 2, 1));
  samples.push_back({.op = "slice",
                     .name = "parts that overlap",
                     .inputs = {draws.Normal({5})},
                     .call = [](List in) -> List {
                       return {Slice(in[0], 0, 0, 3), Slice(in[0], 0, 2, 5)};
                     }});
  add("select", "row", draws.Normal({4, 3}), [](Tensor x) { return Select(std::move(x), 0, 1); });
  add("select", "last column", StoredTransposed(draws.Normal({4, 3})),
      [](Tensor x) { return Select(std::move(x), -1, -1); });
  add("select", "of a vector", draws.Normal({4}),
      [](Tensor x) { return Select(std::move(x), 0, 2); });
  add("select", "of nothing", draws.Normal({4, 0}),
      [](Tensor x) { return Select(std::move(x), 0, 2); });
  const auto pad = [](const Shape& shape, int64_t dim, int64_t start, int64_t step) {
    return [=](Tensor x) { return PadSlice(std::move(x), shape, dim, start, step); };
  };
  add("pad_slice", "rows", draws.Normal({2, 3}), pad({5, 3}, 0, 1, 1));
  add("pad_slice", "every second column", StoredTransposed(draws.Normal({2, 3})),
      pad({2, 6}, 1, 1, 2));
  add("pad_slice", "nothing", draws.Normal({2, 0}), pad({2, 3}, 1, 1, 1));
}

void AddTriangles(std::vector<Sample>& samples) {
  Draws draws(22);
  for (int64_t diagonal : {-1, 0, 2}) {
    for (const bool lower : {true, false}) {
      const auto call = One([=](Tensor x) {
        return lower ? Tril(std::move(x), diagonal) : Triu(std::move(x), diagonal);
      });
      const auto add = [&](const std::string& name, const Tensor& x) {
        samples.push_back({.op = lower ? "tril" : "triu",
                           .name = name + std::to_string(diagonal),
                           .inputs = {x},
                           .call = call});
      };
      add("square, diagonal ", draws.Normal({3, 3}));
      add("batch, diagonal ", draws.Normal({2, 3, 4}));
      add("stored transposed, diagonal ", StoredTransposed(draws.Normal({4, 3})));
      add("empty, diagonal ", draws.Normal({0, 3}));
    }
  }
}

void AddJoins(std::vector<Sample>& samples) {
  Draws draws(23);
  const auto add = [&](const char* name, List inputs, int64_t dim) {
    samples.push_back(
        {.op = "concat", .name = name, .inputs = std::move(inputs), .call = [dim](List in) -> List {
           return {Concat(in, dim)};
         }});
  };
  add("rows", {draws.Normal({2, 3}), draws.Normal({1, 3})}, 0);
  add("columns of any strides",
      {StoredTransposed(draws.Normal({2, 3})), draws.Normal({2, 1}),
       StoredApart(draws.Normal({2, 2}))},
      -1);
  add("with an empty one", {draws.Normal({0}), draws.Normal({2, 2})}, 1);
  add("nothing", {draws.Normal({0, 2}), draws.Normal({0, 2})}, 0);
  List many;
  for (int i = 0; i < 100; ++i) many.push_back(draws.Normal({1}));
  add("a hundred", many, 0);
  samples.push_back({.op = "concat",
                     .name = "stack",
                     .inputs = {draws.Normal({2, 3}), draws.Normal({2, 3})},
                     .call = [](List in) -> List { return {Stack(in, 1)}; }});
}

void AddIndexed(std::vector<Sample>& samples) {
  Draws draws(24);
  const auto add = [&](const char* op, const char* name, List inputs, SampleFunction call,
                       bool large = false) {
    samples.push_back(
        {.op = op, .name = name, .inputs = std::move(inputs), .call = call, .large = large});
  };
  const auto select = [](int64_t dim) {
    return Two([dim](Tensor x, Tensor index) { return IndexSelect(x, dim, index); });
  };
  add("index_select", "rows, some twice", {draws.Normal({4, 3}), FromValues<int64_t>({3, 0, 3})},
      select(0));
  add("index_select", "columns",
      {StoredTransposed(draws.Normal({2, 3})), FromValues<int64_t>({2, 2})}, select(1));
  add("index_select", "none", {draws.Normal({2, 3}), FromValues<int64_t>({})}, select(0));
  add("index_select", "of a scalar", {draws.Normal({}), FromValues<int64_t>({0})}, select(0));

  const auto index_add = [](int64_t dim) {
    return Three([dim](Tensor x, Tensor index, Tensor src) {
      return IndexAdd(std::move(x), dim, index, src);
    });
  };
  add("index_add", "rows, some twice",
      {draws.Normal({4, 3}), FromValues<int64_t>({3, 0, 3}), draws.Normal({3, 3})}, index_add(0));
  add("index_add", "columns",
      {StoredTransposed(draws.Normal({2, 3})), FromValues<int64_t>({2, 1}), draws.Normal({2, 2})},
      index_add(1));
  add("index_add", "none", {draws.Normal({2, 3}), FromValues<int64_t>({}), draws.Normal({0, 3})},
      index_add(0));

  const auto embed = Two([](Tensor index, Tensor weight) { return Embedding(index, weight); });
  add("embedding", "table", {draws.Integers({2, 3}, 0, 5), draws.Normal({5, 4})}, embed);
  add("embedding", "stored transposed",
      {draws.Integers({4}, 0, 3), StoredTransposed(draws.Normal({3, 2}))}, embed);
  add("embedding", "no index", {draws.Integers({0}, 0, 3), draws.Normal({3, 2})}, embed);
  add("embedding", "scalar index", {Scalar(1, DType::kInt64), draws.Normal({3, 2})}, embed);
  add("embedding", "large", {draws.Integers({3000}, 0, 65), draws.Normal({65, 64})}, embed, true);

  const auto gather = [](int64_t dim) {
    return Two([dim](Tensor x, Tensor index) { return Gather(x, dim, index); });
  };
  add("gather", "along rows", {draws.Normal({3, 4}), draws.Integers({2, 4}, 0, 3)}, gather(0));
  add("gather", "along columns, some twice",
      {StoredTransposed(draws.Normal({3, 4})), draws.Integers({2, 6}, 0, 4)}, gather(1));
  add("gather", "none", {draws.Normal({3, 4}), draws.Integers({0, 4}, 0, 3)}, gather(0));
  add("gather", "scalars", {draws.Normal({}), Scalar(0, DType::kInt64)}, gather(0));

  const auto scatter = [](int64_t dim) {
    return Three([dim](Tensor x, Tensor index, Tensor src) {
      return ScatterAdd(std::move(x), dim, index, src);
    });
  };
  add("scatter_add", "along rows",
      {draws.Normal({3, 4}), draws.Integers({2, 4}, 0, 3), draws.Normal({2, 4})}, scatter(0));
  add("scatter_add", "src larger than index",
      {StoredTransposed(draws.Normal({3, 4})), draws.Integers({2, 2}, 0, 4), draws.Normal({3, 5})},
      scatter(1));
  add("scatter_add", "none",
      {draws.Normal({3, 4}), draws.Integers({0, 4}, 0, 3), draws.Normal({0, 4})}, scatter(0));

  add("one_hot", "matrix", {draws.Integers({2, 3}, 0, 4)},
      One([](Tensor index) { return OneHot(index, 4); }));
  add("one_hot", "float", {StoredTransposed(draws.Integers({2, 3}, 0, 4))},
      One([](Tensor index) { return OneHot(index, 4, DType::kFloat64); }));
  add("one_hot", "none", {draws.Integers({0}, 0, 4)},
      One([](Tensor index) { return OneHot(index, 4); }));
}

}  // namespace

std::vector<Sample> ShapeSamples() {
  std::vector<Sample> samples;
  AddViews(samples);
  AddTriangles(samples);
  AddJoins(samples);
  AddIndexed(samples);
  return samples;
}

}  // namespace lemma::every_op
