// An observer that keeps all that it sees.
//
//   Recorder seen;
//   { const nn::Observer::Scope scope(seen); model(tokens); }
//   seen.Find("blocks.0.attn").output;            // what the attention added to the stream
#ifndef LEMMA_TESTS_PROPOSITIONS_GPT_RECORDER_H_
#define LEMMA_TESTS_PROPOSITIONS_GPT_RECORDER_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "autograd/error.h"
#include "autograd/tensor.h"
#include "nn/module.h"

namespace lemma::propositions {

class Recorder : public nn::Observer {
 public:
  struct Call {
    std::string path;
    Tensor input;
    Tensor output;
  };

  void OnCall(const std::string& path, const char*, const TensorList& inputs,
              const Tensor& output) override {
    calls.push_back({path, inputs[0], output});
  }
  // A value from inside a module is kept as a call "path:name" without an input.
  void OnValue(const std::string& path, const std::string& name, const Tensor& value) override {
    calls.push_back({absl::StrCat(path, ":", name), {}, value});
  }

  bool Has(const std::string& path) const { return Pointer(path) != nullptr; }
  const Call& Find(const std::string& path) const {
    const Call* call = Pointer(path);
    LEMMA_CHECK(call != nullptr, path, " was not called");
    return *call;
  }

  std::vector<Call> calls;  // in the order in which they returned

 private:
  const Call* Pointer(const std::string& path) const {
    for (const Call& call : calls) {
      if (call.path == path) return &call;
    }
    return nullptr;
  }
};

}  // namespace lemma::propositions

#endif  // LEMMA_TESTS_PROPOSITIONS_GPT_RECORDER_H_
