// Writes text with a GPT, character by character.
//
//   bazel run //tools:sample -- --checkpoint=runs/course-1/checkpoint.safetensors --prompt=ROMEO:
//   bazel run //tools:sample -- --preset=course --init_seed=1337 --seed=0     # untrained

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "autograd/random.h"
#include "autograd/threads.h"
#include "models/gpt/generate.h"
#include "tools/flags.h"
#include "tools/model_flags.h"
#include "tools/model_source.h"

ABSL_FLAG(std::string, prompt, "", "text to go on with (default: a newline)");
ABSL_FLAG(int64_t, tokens, 500, "characters to write");
ABSL_FLAG(double, temperature, 1, "logits are divided by it; 0: always the most likely character");
ABSL_FLAG(int64_t, top_k, 0, "draw from the k most likely characters only; 0: from all");
ABSL_FLAG(double, top_p, 1, "draw from the fewest characters with this probability together");
ABSL_FLAG(uint64_t, seed, 0, "of the draws");
ABSL_FLAG(std::string, stop, "", "end before this text");
ABSL_FLAG(std::string, window, "crop",
          "what the model sees past its context. crop: the last T characters, computed anew for "
          "each (the course's way). half: keep the last T/2 and fill up again; faster, and another "
          "text");
ABSL_FLAG(int64_t, threads, 0, "0: all physical cores, or OMP_NUM_THREADS");

namespace lemma::tools {
namespace {

// Prints characters as they come, but holds back what may be the beginning of the stop text.
class Output {
 public:
  explicit Output(std::string stop) : stop_(std::move(stop)) {}

  // False once the stop text has come, or nothing can be written any more.
  bool Add(const std::string& text) {
    held_ += text;
    if (stop_.empty()) return Release(held_.size());
    const size_t found = held_.find(stop_);
    if (found != std::string::npos) {
      Release(found);
      held_.clear();
      return false;
    }
    size_t keep = std::min(held_.size(), stop_.size() - 1);
    while (keep > 0 && !absl::StartsWith(stop_, held_.substr(held_.size() - keep))) --keep;
    return Release(held_.size() - keep);
  }
  void Finish() {
    Release(held_.size());
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }

 private:
  bool Release(size_t bytes) {
    std::fwrite(held_.data(), 1, bytes, stdout);
    std::fflush(stdout);
    held_.erase(0, bytes);
    return std::ferror(stdout) == 0;
  }

  const std::string stop_;
  std::string held_;
};

absl::StatusOr<models::SamplingOptions> Options() {
  models::SamplingOptions options{.temperature = absl::GetFlag(FLAGS_temperature),
                                  .top_k = absl::GetFlag(FLAGS_top_k),
                                  .top_p = absl::GetFlag(FLAGS_top_p)};
  RequireOneOf(FLAGS_window, {"crop", "half"});
  if (absl::GetFlag(FLAGS_window) == "half") options.window = models::Window::kHalf;
  return options;
}

absl::Status Sample() {
  RequireAtLeast(FLAGS_tokens, 0);
  RequireInRange(FLAGS_temperature, 0, 1e6);
  RequireAtLeast(FLAGS_top_k, 0);
  RequireInRange(FLAGS_threads, 0, 4096);
  if (!(absl::GetFlag(FLAGS_top_p) > 0 && absl::GetFlag(FLAGS_top_p) <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--top_p must be above 0 and at most 1, not ", absl::GetFlag(FLAGS_top_p)));
  }
  const absl::StatusOr<models::SamplingOptions> options = Options();
  if (!options.ok()) return options.status();
  if (absl::GetFlag(FLAGS_threads) > 0) {
    SetNumThreads(static_cast<int>(absl::GetFlag(FLAGS_threads)));
  }
  absl::StatusOr<LoadedModel> model = LoadModelFromFlags();
  if (!model.ok()) return model.status();
  absl::StatusOr<std::vector<int64_t>> prompt =
      model->tokenizer.Encode(absl::GetFlag(FLAGS_prompt));
  if (!prompt.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--prompt: ", prompt.status().message()));
  }
  if (prompt->empty()) prompt->push_back(model->tokenizer.DefaultStart());
  Generator generator(absl::GetFlag(FLAGS_seed));
  models::GptGenerator text(*model->gpt, *options, &generator);
  text.Append(*prompt);
  std::fputs(absl::GetFlag(FLAGS_prompt).c_str(), stdout);
  Output output(absl::GetFlag(FLAGS_stop));
  for (int64_t i = 0; i < absl::GetFlag(FLAGS_tokens); ++i) {
    const int64_t token = text.Next();
    if (!output.Add(*model->tokenizer.Decode(absl::MakeConstSpan(&token, 1)))) break;
  }
  output.Finish();
  return absl::OkStatus();
}

}  // namespace
}  // namespace lemma::tools

int main(int argc, char** argv) {
  using namespace lemma::tools;
  ParseFlags(
      argc, argv,
      {.program = "sample",
       .summary = "Writes text with a GPT, a trained one (--checkpoint) or an untrained one "
                  "(--preset, --init_seed).",
       .groups = {ModelFlagGroup(),
                  ModelSourceFlagGroup(),
                  {"Text",
                   {"prompt", "tokens", "stop", "temperature", "top_k", "top_p", "seed", "window"}},
                  {"Run", {"threads"}}}});
  return RunMain([] { return ExitStatus(Sample()); });
}
