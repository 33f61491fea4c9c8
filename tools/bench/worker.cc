#include "tools/bench/worker.h"

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "tools/bench/job.h"
#include "tools/bench/make_job.h"
#include "tools/bench/task.h"
#include "tools/memory.h"

namespace lemma::tools::bench {
namespace {

using Json = nlohmann::ordered_json;

class Worker {
 public:
  absl::StatusOr<Json> Answer(absl::string_view request) {
    if (absl::ConsumePrefix(&request, "prepare ")) return Prepare(request);
    if (absl::ConsumePrefix(&request, "run ")) return Run(request);
    return absl::InvalidArgumentError(absl::StrCat("no request begins like \"", request, "\""));
  }

 private:
  absl::StatusOr<Json> Prepare(absl::string_view text) {
    const uint64_t idle_bytes = CurrentResidentBytes();
    absl::StatusOr<Task> task = TaskFromJson(text);
    if (!task.ok()) return task.status();
    absl::StatusOr<std::unique_ptr<Job>> job = MakeJob(*task);
    if (!job.ok()) return job.status();
    job_ = *std::move(job);
    return Json{{"name", "Lemma"},
                {"version", ""},
                {"mode", ""},
                {"parameters", job_->parameters()},
                {"idle_bytes", idle_bytes}};
  }

  absl::StatusOr<Json> Run(absl::string_view text) {
    int64_t units = 0;
    if (!absl::SimpleAtoi(text, &units) || units < 1) {
      return absl::InvalidArgumentError(absl::StrCat("cannot run \"", text, "\" units"));
    }
    if (job_ == nullptr) return absl::FailedPreconditionError("nothing has been prepared");
    ResetPeakResidentBytes();
    const JobTimes times = job_->Run(units);
    return Json{
        {"unit_ms", times.unit_ms}, {"loss", times.loss}, {"peak_bytes", PeakResidentBytes()}};
  }

  std::unique_ptr<Job> job_;
};

}  // namespace

void ServeRequests(std::istream& in, std::ostream& out) {
  Worker worker;
  std::string line;
  while (std::getline(in, line) && line != "exit") {
    absl::StatusOr<Json> answer = worker.Answer(line);
    out << (answer.ok() ? absl::StrCat("ok ", answer->dump())
                        : absl::StrCat("error ", absl::StrReplaceAll(answer.status().message(),
                                                                     {{"\n", " "}})))
        << std::endl;
  }
}

}  // namespace lemma::tools::bench
