#include "tests/torch_ops/samples.h"

#include <fstream>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "autograd/create.h"
#include "autograd/error.h"
#include "autograd/ops/cast.h"
#include "autograd/ops/in_place.h"
#include "autograd/ops/views.h"
#include "autograd/shape.h"
#include "nn/checkpoint.h"

namespace lemma::torch_ops {
namespace {

using nlohmann::json;

const char kJson[] = "tests/testdata/torch_ops.json";
const char kTensors[] = "tests/testdata/torch_ops.safetensors";

DType DTypeNamed(const std::string& name) {
  for (DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kInt32, DType::kInt64, DType::kBool}) {
    if (name == Name(dtype)) return dtype;
  }
  throw NotMapped("no tensor has elements of type " + name);
}

// The elements of x at other strides.
Tensor WithStrides(const Tensor& x, const std::vector<int64_t>& steps) {
  const Strides strides(steps.begin(), steps.end());
  int64_t extent = 1;
  for (int i = 0; i < x.rank(); ++i) extent += (x.size(i) - 1) * strides[i];
  Tensor view = Tensor::View(Tensor::Empty({extent}, x.dtype()).storage(), x.dtype(), x.shape(),
                             strides, /*offset=*/0);
  CopyFrom(view, x);
  return view;
}

}  // namespace

const Samples& Samples::Get() {
  static const Samples* const kSamples = new Samples;
  return *kSamples;
}

Samples::Samples() {
  std::ifstream file(kJson);
  LEMMA_CHECK(file.good(), kJson, " is not there");
  const auto ordered = nlohmann::ordered_json::parse(file);
  for (const auto& [name, value] : ordered.at("ops").items()) operators_.push_back(name);
  json_ = ordered.at("ops");
  const auto tensors = nn::LoadCheckpoint(kTensors);
  LEMMA_CHECK(tensors.ok(), tensors.status().ToString());
  for (const nn::NamedTensor& tensor : tensors->tensors) tensors_[tensor.name] = tensor.value;
}

int Samples::NumSamples(const std::string& op) const {
  return static_cast<int>(json_.at(op).at("samples").size());
}

int Samples::NumRefused(const std::string& op) const {
  return json_.at(op).contains("refused") ? static_cast<int>(json_.at(op).at("refused").size()) : 0;
}

std::string Samples::OperatorOf(const std::string& op, int i) const {
  return json_.at(op).at("samples").at(i).value("op", op);
}

Tensor Samples::Load(const json& name, DType dtype) const {
  if (name.is_null()) return Tensor();
  const NoGrad no_grad;
  const Tensor& stored = tensors_.at(name.get<std::string>());
  return Clone(IsFloat(stored.dtype()) ? Cast(stored, dtype) : stored);
}

std::vector<Tensor> Samples::LoadAll(const json& sample, const char* key, DType dtype) const {
  std::vector<Tensor> list;
  if (!sample.contains(key)) return list;
  for (const json& name : sample.at(key)) list.push_back(Load(name, dtype));
  return list;
}

// A tensor is named where its values are known, else described.
Argument Samples::MakeArgument(const json& json, const Making& making) const {
  if (json.is_null()) return {};
  if (json.is_boolean()) return {json.get<bool>()};
  if (json.is_number_integer()) return {json.get<int64_t>()};
  if (json.is_number()) return {json.get<double>()};
  if (json.is_string()) {
    const double infinity = std::numeric_limits<double>::infinity();
    if (json == "inf") return {infinity};
    if (json == "-inf") return {-infinity};
    return {json.get<std::string>()};
  }
  if (json.is_array()) {
    ArgumentList list;
    for (const auto& item : json) list.push_back(MakeArgument(item, making));
    return {std::move(list)};
  }
  if (!json.contains("tensor")) {
    const DType dtype = DTypeNamed(json.at("dtype"));
    const Shape shape(json.at("shape").get<std::vector<int64_t>>());
    return {Full(shape, IsFloat(dtype) ? 0.5 : making.integer, dtype)};
  }
  Tensor x = Load(json.at("tensor"), making.dtype);
  if (json.contains("strides")) x = WithStrides(x, json.at("strides"));
  if (json.value("grad", false)) {
    x.SetRequiresGrad(true);
    making.inputs->push_back(x);
  }
  return {std::move(x)};
}

Arguments Samples::MakeArguments(const json& call, const Making& making) const {
  ArgumentList positional;
  for (const json& argument : call.at("args")) {
    positional.push_back(MakeArgument(argument, making));
  }
  std::map<std::string, Argument> keywords;
  if (call.contains("kwargs")) {
    for (const auto& [name, argument] : call.at("kwargs").items()) {
      keywords[name] = MakeArgument(argument, making);
    }
  }
  return Arguments(std::move(positional), std::move(keywords));
}

Sample Samples::Make(const std::string& op, int i, DType dtype) const {
  const json& sample = json_.at(op).at("samples").at(i);
  Sample result;
  result.op = sample.value("op", op);
  result.arguments = MakeArguments(sample, {.dtype = dtype, .inputs = &result.inputs});
  result.outputs = LoadAll(sample, "out", dtype);
  result.douts = LoadAll(sample, "dout", dtype);
  result.grads = LoadAll(sample, "grad", dtype);
  result.v = LoadAll(sample, "v", dtype);
  result.second_grads = LoadAll(sample, "grad2", dtype);
  return result;
}

Arguments Samples::MakeRefused(const std::string& op, int i) const {
  const json& call = json_.at(op).at("refused").at(i);
  const bool names_out = call.contains("kwargs") && call.at("kwargs").contains("out");
  return MakeArguments(call, {.integer = names_out ? 0.0 : 99.0});
}

}  // namespace lemma::torch_ops
