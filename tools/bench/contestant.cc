#include "tools/bench/contestant.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"

namespace lemma::tools::bench {
namespace {

absl::Status Unreadable(const std::string& answer) {
  return absl::InternalError(absl::StrCat("it answered: ", answer.substr(0, 200)));
}

// Reads the object of an answer with `read`, which may throw an exception of nlohmann's.
template <typename T, typename Read>
absl::StatusOr<T> ReadAnswer(const absl::StatusOr<std::string>& answer, const Read& read) {
  if (!answer.ok()) return answer.status();
  const auto json = nlohmann::json::parse(*answer, nullptr, false);
  try {
    return read(json);
  } catch (const nlohmann::json::exception&) {
    return Unreadable(*answer);
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Contestant>> WorkerContestant::Start(
    const std::vector<std::string>& command, const ChildEnvironment& environment,
    std::function<void()> waiting) {
  absl::StatusOr<std::unique_ptr<Child>> child = Child::Start(command, environment);
  if (!child.ok()) return child.status();
  return std::unique_ptr<Contestant>(new WorkerContestant(*std::move(child), std::move(waiting)));
}

WorkerContestant::WorkerContestant(std::unique_ptr<Child> child, std::function<void()> waiting)
    : child_(std::move(child)), waiting_(std::move(waiting)) {}

absl::StatusOr<std::string> WorkerContestant::Ask(const std::string& request) {
  absl::StatusOr<std::string> line = child_->Ask(request, waiting_);
  if (!line.ok()) return line.status();
  absl::string_view answer = *line;
  if (absl::ConsumePrefix(&answer, "ok ")) return std::string(answer);
  if (absl::ConsumePrefix(&answer, "error ")) return absl::UnavailableError(answer);
  return Unreadable(*line);
}

absl::StatusOr<ContestantInfo> WorkerContestant::Prepare(const Task& task) {
  return ReadAnswer<ContestantInfo>(
      Ask(absl::StrCat("prepare ", TaskToJson(task))), [](const nlohmann::json& json) {
        return ContestantInfo{.name = json.at("name").get<std::string>(),
                              .version = json.at("version").get<std::string>(),
                              .mode = json.at("mode").get<std::string>(),
                              .parameters = json.at("parameters").get<int64_t>(),
                              .idle_bytes = json.at("idle_bytes").get<int64_t>()};
      });
}

absl::StatusOr<RunTimes> WorkerContestant::Run(int64_t units) {
  return ReadAnswer<RunTimes>(Ask(absl::StrCat("run ", units)), [](const nlohmann::json& json) {
    return RunTimes{.unit_ms = json.at("unit_ms").get<std::vector<double>>(),
                    .loss = json.at("loss").get<double>(),
                    .peak_bytes = json.at("peak_bytes").get<int64_t>()};
  });
}

}  // namespace lemma::tools::bench
