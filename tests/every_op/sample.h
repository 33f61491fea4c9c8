// Samples of calls by op: what the tests over the table of ops run.
//
// Inputs that are differentiated are float64, away from kinks and ties; a test converts them where
// it needs another type. Whoever adds an op adds samples to a file of this folder: without them the
// tests fail by the op's name.
#ifndef LEMMA_TESTS_EVERY_OP_SAMPLE_H_
#define LEMMA_TESTS_EVERY_OP_SAMPLE_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "autograd/gradcheck.h"
#include "autograd/random.h"
#include "autograd/tensor.h"

namespace lemma::every_op {

using List = std::vector<Tensor>;
// Moves its inputs into the op, so that the caller decides who owns them.
using SampleFunction = std::function<List(List)>;

struct Sample {
  std::string op;    // as in the registry
  std::string name;  // what is special about it
  List inputs;
  SampleFunction call;
  GradCheckOptions gradcheck = {};
  // Allowed error of float32 and bfloat16, of values and gradients, relative to the largest entry.
  double float32_tolerance = 1e-5;
  double bfloat16_tolerance = 0.02;
  bool has_bfloat16 = true;
  // Large enough to be shared out among threads; too large for differences.
  bool large = false;
};

// The samples of one op, in the order of their files.
std::vector<Sample> SamplesOf(const std::string& op);

// By family of ops; each returns all samples of its file.
std::vector<Sample> PointwiseSamples();
std::vector<Sample> ShapeSamples();
std::vector<Sample> ReductionSamples();
std::vector<Sample> ProductSamples();

// Whether the list has a large sample of `op`: one form of each op is enough.
bool HasLarge(const std::vector<Sample>& samples, const std::string& op);

// Draws of inputs, the same each time.
class Draws {
 public:
  explicit Draws(uint64_t seed) : generator_(seed) {}
  Tensor Normal(const Shape& shape);
  Tensor Uniform(const Shape& shape, double low, double high);
  // Of absolute value in [0.1, 2.1).
  Tensor AwayFromZero(const Shape& shape);
  // All different, `step` apart, in a random order around 0.
  Tensor Distinct(const Shape& shape, double step = 0.1);
  Tensor Integers(const Shape& shape, int64_t low, int64_t high);
  Tensor Bools(const Shape& shape);
  Generator& generator() { return generator_; }

 private:
  Generator generator_;
};

// The same elements at other strides: the last two dimensions swapped in memory; every second
// element of a longer last dimension.
Tensor StoredTransposed(const Tensor& x);
Tensor StoredApart(const Tensor& x);
// The elements converted, at the strides that x has.
Tensor CastKeepingStrides(const Tensor& x, DType dtype);
// The sample's inputs with float64 converted to `dtype`.
List InputsAs(const Sample& sample, DType dtype);

// A copy in memory of its own, at the strides that x has.
Tensor CopyKeepingStrides(const Tensor& x);

template <typename Fn>
SampleFunction One(Fn fn) {
  return [fn](List in) -> List { return {fn(std::move(in[0]))}; };
}
template <typename Fn>
SampleFunction Two(Fn fn) {
  return [fn](List in) -> List { return {fn(std::move(in[0]), std::move(in[1]))}; };
}
template <typename Fn>
SampleFunction Three(Fn fn) {
  return
      [fn](List in) -> List { return {fn(std::move(in[0]), std::move(in[1]), std::move(in[2]))}; };
}

}  // namespace lemma::every_op

#endif  // LEMMA_TESTS_EVERY_OP_SAMPLE_H_
