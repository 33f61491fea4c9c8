// PyTorch's own samples of its operators, as tests/testdata/torch_ops.{json,safetensors} hold them:
// what it is called with, what comes out, and the gradients of first and second order.
#ifndef LEMMA_TESTS_TORCH_OPS_SAMPLES_H_
#define LEMMA_TESTS_TORCH_OPS_SAMPLES_H_

#include <map>
#include <string>
#include <vector>

#include "autograd/dtype.h"
#include "autograd/tensor.h"
#include "nlohmann/json.hpp"
#include "tests/torch_ops/arguments.h"

namespace lemma::torch_ops {

// A sample with its tensors in one float type.
struct Sample {
  std::string op;              // the operator that is called
  Arguments arguments;         // leaves that ask for a gradient where PyTorch's did
  std::vector<Tensor> inputs;  // those leaves, in order
  std::vector<Tensor> outputs;
  std::vector<Tensor> douts;  // of the differentiable outputs
  std::vector<Tensor> grads;  // of each input; undefined where PyTorch has none
  // Where PyTorch has gradients of second order: the factors of `grads`, and the gradient of
  // sum(grads . v).
  std::vector<Tensor> v;
  std::vector<Tensor> second_grads;
};

// All samples, read from the runfiles once. The program ends with a message where they can't be.
class Samples {
 public:
  static const Samples& Get();

  // Operators in the file's order.
  const std::vector<std::string>& operators() const { return operators_; }
  bool Has(const std::string& op) const { return json_.contains(op); }
  int NumSamples(const std::string& op) const;
  int NumRefused(const std::string& op) const;

  // Sample i with new tensors: floats as `dtype`, float64 or float32, others as they are. Throws
  // NotMapped for an argument of a type that tensors don't have.
  Sample Make(const std::string& op, int i, DType dtype) const;
  // The operator that sample i calls.
  std::string OperatorOf(const std::string& op, int i) const;
  // The arguments of a call that PyTorch refuses. It is known by shapes and types alone: floats are
  // 0.5; integers are 99, beyond any dimension, or 0 where `out` is what is refused.
  Arguments MakeRefused(const std::string& op, int i) const;

 private:
  struct Making {
    DType dtype = DType::kFloat64;          // of floats whose values are known
    std::vector<Tensor>* inputs = nullptr;  // collects what takes a gradient
    double integer = 0;                     // the value of integers that are not known
  };

  Samples();
  Tensor Load(const nlohmann::json& name, DType dtype) const;
  std::vector<Tensor> LoadAll(const nlohmann::json& sample, const char* key, DType dtype) const;
  Argument MakeArgument(const nlohmann::json& json, const Making& making) const;
  Arguments MakeArguments(const nlohmann::json& call, const Making& making) const;

  nlohmann::json json_;
  std::vector<std::string> operators_;
  std::map<std::string, Tensor> tensors_;
};

}  // namespace lemma::torch_ops

#endif  // LEMMA_TESTS_TORCH_OPS_SAMPLES_H_
