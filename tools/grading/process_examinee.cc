#include "tools/grading/process_examinee.h"

#include <stdexcept>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/grading/exercise.h"

namespace lemma::tools::grading {

ProcessExaminee::ProcessExaminee(ChildCommand command, Renewal renewal, const ChildLimits& limits)
    : command_(std::move(command)), renewal_(renewal), limits_(limits) {}

Answer ProcessExaminee::Ask(const Probe& probe) {
  if (process_ == nullptr) {
    absl::StatusOr<std::unique_ptr<ChildProcess>> started = ChildProcess::Start(command_, limits_);
    if (absl::IsFailedPrecondition(started.status())) {
      throw NotGradable(std::string(started.status().message()));
    }
    if (!started.ok()) throw std::runtime_error(std::string(started.status().message()));
    process_ = *std::move(started);
  }
  Answer answer = process_->Ask(probe.inputs);
  failed_ = !answer.ok() || answer.threads_left > 0 || answer.processes_left > 0;
  if (printed_.empty()) printed_ = process_->printed();
  return answer;
}

void ProcessExaminee::Renew() { process_.reset(); }

void ProcessExaminee::RenewBetweenChecks() {
  if (renewal_ == Renewal::kEachCheck || failed_) Renew();
}

}  // namespace lemma::tools::grading
