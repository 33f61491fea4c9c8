#include "tools/grade_class.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "tools/bar_chart.h"
#include "tools/flags.h"
#include "tools/gnuplot.h"
#include "tools/grade_settings.h"
#include "tools/grading/answer.h"
#include "tools/grading/child_main.h"
#include "tools/grading/child_process.h"
#include "tools/grading/class_build.h"
#include "tools/grading/class_report.h"
#include "tools/grading/files.h"
#include "tools/grading/json_report.h"
#include "tools/grading/judge.h"
#include "tools/grading/other_reports.h"
#include "tools/grading/process_examinee.h"
#include "tools/grading/report.h"
#include "tools/grading/submissions.h"
#include "tools/grading/teacher.h"
#include "tools/interrupt.h"
#include "tools/paths.h"
#include "tools/process_pool.h"
#include "tools/status_line.h"

ABSL_FLAG(std::string, csv, "", "write a line for each student to this file");
ABSL_FLAG(std::string, picture, "", "draw how many made which mistake: a .svg or .png");
ABSL_FLAG(std::string, reports, "", "write a report for each student to this folder, as Markdown");
ABSL_FLAG(int32_t, jobs, 0, "how many are judged at a time; 0: as many as there are cores");

namespace lemma::tools::grading {
namespace {

constexpr size_t kMostBars = 20;

// A submission and how it is judged.
struct Candidate {
  Submission submission;
  std::string path;     // of the source or file
  std::string program;  // of what is run
};

class ClassGrader {
 public:
  ClassGrader(const Exercise& exercise, const std::string& folder)
      : exercise_(exercise),
        teacher_(TeacherSettings()),
        detail_(AllowedDetail(teacher_)),
        reports_(ResolvePath(absl::GetFlag(FLAGS_reports))),
        line_(StatusLineOptions::ForStderr()) {
    RequireAtLeast(FLAGS_jobs, 0);
    const std::string picture = absl::GetFlag(FLAGS_picture);
    if (const auto format = ImageFormatOf(picture); !picture.empty() && !format.ok()) {
      Die(absl::StrCat("--picture: ", format.status().message()));
    }
    absl::StatusOr<std::vector<Submission>> found = FindSubmissions(folder, exercise.name);
    if (!found.ok()) Die(found.status());
    if (!reports_.empty()) {
      if (absl::Status made = CreateFolders(reports_); !made.ok()) Die(made);
    }
    for (Submission& submission : *found) {
      const std::string path = absl::StrCat(folder, "/", submission.file);
      const bool program = submission.kind == SubmissionKind::kProgram;
      candidates_.push_back({std::move(submission), path, program ? path : ""});
    }
  }

  int Run() {
    BuildSources();
    JudgeAll();
    const std::vector<ClassRow> rows = Rows();
    if (!rows.empty()) std::fputs(ClassSummary(exercise_, rows).c_str(), stdout);
    Draw(rows);
    if (interrupt_.requested()) {
      std::printf("stopped: %zu of %zu are graded\n", rows.size(), candidates_.size());
      return 128 + interrupt_.signal_number();
    }
    const bool all =
        std::all_of(rows.begin(), rows.end(), [](const ClassRow& row) { return row.passed(); });
    return all ? kPassed : kFailed;
  }

 private:
  // In one call of Bazel. What does not build is that student's result.
  void BuildSources() {
    std::vector<ClassSource> sources;
    std::vector<Candidate*> built;
    for (Candidate& candidate : candidates_) {
      const Submission& submission = candidate.submission;
      if (submission.kind != SubmissionKind::kSource || !submission.problem.empty()) continue;
      sources.push_back({submission.student, candidate.path});
      built.push_back(&candidate);
    }
    if (sources.empty()) return;
    line_.Print(
        absl::StrCat("building ", sources.size(), sources.size() == 1 ? " program" : " programs"));
    const auto package =
        ClassPackage::Make(WorkshopFromFlags(), HomeworkFolder(), exercise_, sources);
    if (!package.ok()) Die(package.status());
    const absl::StatusOr<std::vector<BuiltSource>> results = (*package)->Build();
    if (interrupt_.requested()) return;
    if (!results.ok()) Die(results.status());
    for (size_t i = 0; i < built.size(); ++i) {
      built[i]->program = (*results)[i].program;
      built[i]->submission.problem = (*results)[i].problem;
    }
  }

  void JudgeAll() {
    std::vector<const Candidate*> judged;
    for (const Candidate& candidate : candidates_) {
      const Submission& submission = candidate.submission;
      if (submission.problem.empty()) {
        judged.push_back(&candidate);
      } else {
        Note(submission, {.problem = submission.problem});
      }
    }
    const int jobs = absl::GetFlag(FLAGS_jobs);
    const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
    RunInProcesses(
        judged.size(), jobs > 0 ? jobs : std::max(cores, 1),
        [&](size_t i) { return Judged(*judged[i]); },
        [&](size_t i, const absl::StatusOr<std::string>& json) {
          const Submission& submission = judged[i]->submission;
          absl::StatusOr<ClassRow> row =
              json.ok() ? RowFromJson(submission.student, *json) : json.status();
          Note(submission, row.ok() ? *std::move(row)
                                    : ClassRow{.problem = std::string(row.status().message())});
        },
        [&] { return interrupt_.requested(); });
    line_.Finish();
  }

  // In a process of its own.
  std::string Judged(const Candidate& candidate) const {
    std::unique_ptr<Examinee> examinee;
    if (candidate.submission.kind == SubmissionKind::kOutputs) {
      absl::StatusOr<Values> values = ParseOutputs(ReadOrDie(candidate.path));
      if (!values.ok()) throw std::runtime_error(std::string(values.status().message()));
      examinee = std::make_unique<FileExaminee>(*std::move(values));
    } else {
      examinee = std::make_unique<ProcessExaminee>(ChildCommand{
          candidate.program, {ChildArgument(absl::StrCat(exercise_.name, "/homework"))}});
    }
    JudgeOptions options = OptionsFor(exercise_, *examinee, teacher_);
    options.witness = !reports_.empty() && detail_ >= Detail::kDiff;
    const Report report = Judge(exercise_, *examinee, options);
    if (!reports_.empty()) {
      WriteOrDie(ReportFile(candidate.submission), MarkdownReport(Capped(report, detail_)));
    }
    return JsonReport(report);
  }

  // Also writes the table so far, which is then whole whatever comes.
  void Note(const Submission& submission, ClassRow row) {
    row.student = submission.student;
    row.file = submission.file;
    if (!reports_.empty() && !row.problem.empty()) {
      WriteOrDie(ReportFile(submission),
                 absl::StrCat("# ", exercise_.name, ": not graded\n\n", row.problem, "\n"));
    }
    rows_[row.student] = std::move(row);
    WriteOrDie(absl::GetFlag(FLAGS_csv), ClassCsv(exercise_, Rows()));
    const auto passed = std::count_if(rows_.begin(), rows_.end(),
                                      [](const auto& entry) { return entry.second.passed(); });
    line_.Show(
        absl::StrCat(rows_.size(), " of ", candidates_.size(), " graded, ", passed, " passed"),
        rows_.size() == candidates_.size());
  }

  std::string ReportFile(const Submission& submission) const {
    return absl::StrCat(reports_, "/", submission.student, ".md");
  }

  std::vector<ClassRow> Rows() const {
    std::vector<ClassRow> rows;
    for (const auto& [student, row] : rows_) rows.push_back(row);
    return rows;
  }

  void Draw(const std::vector<ClassRow>& rows) const {
    const std::string path = ResolvePath(absl::GetFlag(FLAGS_picture));
    if (path.empty() || rows.empty()) return;
    BarChart chart = {.title = ClassTitle(exercise_, rows)};
    const std::vector<Outcome> outcomes = OutcomesOf(exercise_, rows);
    for (const Outcome& outcome : outcomes) {
      const BarColour colour = outcome.kind == Outcome::Kind::kPassed   ? BarColour::kGood
                               : outcome.kind == Outcome::Kind::kFailed ? BarColour::kPlain
                                                                        : BarColour::kPale;
      chart.bars.push_back(
          {outcome.name, outcome.detail, static_cast<int64_t>(outcome.count), colour});
    }
    if (chart.bars.size() > kMostBars) {
      Bar rest = {.name = absl::StrCat(chart.bars.size() - kMostBars + 1, " other outcomes"),
                  .colour = BarColour::kPale};
      for (size_t i = kMostBars - 1; i < chart.bars.size(); ++i) rest.count += chart.bars[i].count;
      chart.bars.resize(kMostBars - 1);
      chart.bars.push_back(rest);
    }
    if (absl::Status drawn = DrawBarChart(chart, path); !drawn.ok()) Die(drawn);
    std::printf("%s shows it\n", DisplayPath(path).c_str());
  }

  const Exercise& exercise_;
  const Teacher teacher_;
  const Detail detail_;
  const std::string reports_;
  std::vector<Candidate> candidates_;
  std::map<std::string, ClassRow> rows_;  // by student
  StatusLine line_;
  InterruptScope interrupt_;
};

}  // namespace

FlagGroup ClassFlagGroup() { return {"Class", {"csv", "picture", "reports", "jobs"}}; }

int GradeClass(const Exercise& exercise, const std::string& folder) {
  return ClassGrader(exercise, folder).Run();
}

}  // namespace lemma::tools::grading
