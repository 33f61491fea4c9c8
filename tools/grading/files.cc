#include "tools/grading/files.h"

#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "autograd/dtype.h"
#include "autograd/ops/cast.h"
#include "autograd/shape.h"
#include "autograd/tensor.h"
#include "nn/safetensors.h"
#include "nn/safetensors_header.h"
#include "tools/grading/npz.h"

namespace lemma::tools::grading {
namespace {

absl::StatusOr<Values> ParseSafetensors(const std::string& bytes) {
  const absl::StatusOr<nn::SafetensorsFile> file = nn::SafetensorsFile::Parse(bytes);
  if (!file.ok()) return file.status();
  Values values;
  for (const nn::SafetensorsEntry& entry : file->entries()) {
    const std::optional<DType> dtype = nn::ToDType(entry.dtype);
    if (!dtype) {
      return absl::InvalidArgumentError(absl::StrCat(nn::QuoteForMessage(entry.name),
                                                     " is of type ", nn::Name(entry.dtype),
                                                     ", which outputs do not have; F32 is right"));
    }
    Tensor tensor = Tensor::Empty(Shape(entry.shape), *dtype);
    if (!entry.bytes.empty()) {
      std::memcpy(tensor.mutable_raw_data(), entry.bytes.data(), entry.bytes.size());
    }
    values.Add(entry.name, tensor);
  }
  return values;
}

}  // namespace

absl::Status ExportInputs(const Exercise& exercise, uint64_t seed, const std::string& path) {
  std::vector<Tensor> alive;
  std::vector<nn::SafetensorsTensor> tensors;
  for (const Probe& probe : exercise.probes(seed)) {
    for (const Values* values : {&probe.inputs, &probe.for_files}) {
      for (const auto& [name, tensor] : *values) {
        const Tensor dense = tensor.DetachedContiguous();
        alive.push_back(dense);
        tensors.push_back(
            {absl::StrCat(probe.name, ".", name), nn::ToSafetensorsDType(dense.dtype()),
             std::vector<int64_t>(dense.shape().begin(), dense.shape().end()), dense.raw_data()});
      }
    }
  }
  std::map<std::string, std::string> metadata = {{"exercise", exercise.name},
                                                 {"task", exercise.task},
                                                 {"outputs", absl::StrJoin(exercise.outputs, " ")},
                                                 {"seed", absl::StrCat(seed)}};
  if (!exercise.functions.empty()) metadata["functions"] = exercise.functions;
  return nn::WriteSafetensors(path, tensors, metadata);
}

absl::StatusOr<Values> ParseOutputs(const std::string& bytes) {
  const absl::StatusOr<Values> parsed =
      absl::StartsWith(bytes, "PK") ? ParseNpz(bytes) : ParseSafetensors(bytes);
  if (!parsed.ok()) return parsed.status();
  Values values;
  for (const auto& [name, tensor] : *parsed) {
    values.Add(name, tensor.dtype() == DType::kFloat64 ? Cast(tensor, DType::kFloat32) : tensor);
  }
  return values;
}

Answer FileExaminee::Ask(const Probe& probe) {
  Answer answer;
  const std::string prefix = probe.name + ".";
  for (const auto& [name, tensor] : outputs_) {
    if (absl::StartsWith(name, prefix)) answer.outputs.Add(name.substr(prefix.size()), tensor);
  }
  if (answer.outputs.size() == 0) {
    answer.ending = Ending::kMissing;
    answer.text = absl::StrCat("the file has no ", prefix, "... in it");
  }
  return answer;
}

}  // namespace lemma::tools::grading
