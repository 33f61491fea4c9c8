// Any bytes are outputs (.npz, .npy within it, .safetensors), or are refused with a sentence.

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"
#include "autograd/dtype.h"
#include "autograd/error.h"
#include "autograd/tensor.h"
#include "tools/grading/compare.h"
#include "tools/grading/files.h"
#include "tools/grading/npz.h"
#include "tools/grading/values.h"

namespace lemma::tools::grading {
namespace {

void CheckRefusal(const absl::Status& status) {
  LEMMA_CHECK(!status.message().empty() && status.message().size() < 1000);
  for (const char c : status.message()) LEMMA_CHECK(!absl::ascii_iscntrl(c), status.message());
}

// Reads every element.
void CheckTensor(const Tensor& tensor) {
  LEMMA_CHECK(static_cast<int64_t>(Doubles(tensor).size()) == tensor.numel());
}

void Try(absl::string_view bytes) {
  // An array's checksum is hard to guess: what it guards is read without an archive, too.
  const absl::StatusOr<Tensor> array = ParseNpy(bytes);
  if (array.ok()) CheckTensor(*array);
  if (!array.ok()) CheckRefusal(array.status());

  const absl::StatusOr<Values> arrays = ParseNpz(bytes);
  if (!arrays.ok()) CheckRefusal(arrays.status());

  const absl::StatusOr<Values> outputs = ParseOutputs(std::string(bytes));
  if (!outputs.ok()) return CheckRefusal(outputs.status());
  for (const auto& [name, tensor] : *outputs) {
    LEMMA_CHECK(outputs->Find(name) == &tensor, "two outputs have one name");
    LEMMA_CHECK(tensor.dtype() != DType::kFloat64);
    CheckTensor(tensor);
  }
}

}  // namespace
}  // namespace lemma::tools::grading

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  lemma::tools::grading::Try(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
