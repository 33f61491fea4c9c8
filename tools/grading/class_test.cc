#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tools/grading/class_build.h"
#include "tools/grading/class_report.h"
#include "tools/grading/exercise.h"
#include "tools/grading/submissions.h"

namespace lemma::tools::grading {
namespace {

namespace fs = std::filesystem;

// A folder of a test's own.
class Folder {
 public:
  explicit Folder(const std::string& name) : path_(fs::path(::testing::TempDir()) / name) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  Folder& Add(const std::string& name, const std::string& text = "int x;\n") {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return *this;
  }
  const fs::path& path() const { return path_; }

  std::map<std::string, Submission> Found() const {
    std::map<std::string, Submission> by_student;
    const absl::StatusOr<std::vector<Submission>> found = FindSubmissions(path_.string(), "leak");
    EXPECT_TRUE(found.ok()) << found.status();
    for (const Submission& submission : *found) {
      EXPECT_TRUE(by_student.emplace(submission.student, submission).second);
    }
    return by_student;
  }

 private:
  const fs::path path_;
};

TEST(Submissions, AreFilesOrFolders) {
  Folder folder("plain");
  folder.Add("alice.cc").Add("bob/leak.cc").Add("bob/notes.txt").Add("carol/deep/er/leak.cc");
  folder.Add("dan.npz").Add("eve.safetensors").Add("frank/solution.cpp").Add("grades.csv");
  folder.Add(".hidden.cc").Add("__MACOSX/alice.cc").Add("gina", "#!/bin/sh\n").Add("hugo", "text");
  fs::permissions(folder.path() / "gina", fs::perms::owner_all);
  fs::permissions(folder.path() / "hugo", fs::perms::owner_all);
  const auto found = folder.Found();
  EXPECT_EQ(found.size(), 7u);
  EXPECT_EQ(found.at("alice").file, "alice.cc");
  EXPECT_EQ(found.at("bob").file, "bob/leak.cc");
  EXPECT_EQ(found.at("carol").file, "carol/deep/er/leak.cc");
  EXPECT_EQ(found.at("dan").kind, SubmissionKind::kOutputs);
  EXPECT_EQ(found.at("eve").kind, SubmissionKind::kOutputs);
  EXPECT_EQ(found.at("frank").file, "frank/solution.cpp");
  EXPECT_EQ(found.at("gina").kind, SubmissionKind::kProgram);
  for (const auto& [student, submission] : found) EXPECT_EQ(submission.problem, "") << student;
}

TEST(Submissions, AreNamedAsLearningPlatformsNameThem) {
  Folder folder("platforms");
  folder.Add("doealice_LATE_123_456_leak-1.cc").Add("bo_b_77_8_leak.cc");
  folder.Add("Ren\u00e9e D'Or, Jr._99_assignsubmission_file_/leak.cc").Add("submission_5/leak.cc");
  folder.Add("submission_6/leak.cc").Add("submission_7/leak.cc");
  folder.Add("submission_metadata.yml",
             "---\nsubmission_5:\n  :submitters:\n  - :name: Ada L.\n    :sid: '1'\n"
             "  - :name: \"Bob\"\n  :created_at: 1\n  :results:\n    - :name: a test\n"
             "submission_6:\n  :submitters:\n  - :name: Cy/Cyd\n"
             "submission_7:\n  :submitters:\n  - :name: Cy/Cyd\n");
  const auto found = folder.Found();
  EXPECT_EQ(found.count("doealice"), 1u);
  EXPECT_EQ(found.count("bo_b"), 1u);
  EXPECT_EQ(found.count("Ren\u00e9e D'Or, Jr."), 1u);
  EXPECT_EQ(found.count("Ada L. and Bob"), 1u);
  EXPECT_EQ(found.count("Cy-Cyd (submission_6)"), 1u);
  EXPECT_EQ(found.count("Cy-Cyd (submission_7)"), 1u);
  EXPECT_EQ(found.size(), 6u);
}

TEST(Submissions, SayWhyThereIsNothingToGrade) {
  Folder folder("problems");
  folder.Add("empty.cc", "").Add("blank.cc", " \n\n").Add("none/notes.txt");
  folder.Add("two/a.cc").Add("two/b.cc").Add("twice/x/leak.cc").Add("twice/y/leak.cc");
  folder.Add("ann.cc").Add("ann/leak.cc").Add("long.cc", std::string(2 << 20, 'x'));
  fs::create_symlink("loop.cc", folder.path() / "loop.cc");
  fs::create_directories(folder.path() / "circle");
  fs::create_directory_symlink("..", folder.path() / "circle" / "up");
  const auto found = folder.Found();
  const auto expect = [&](const char* student, const char* part) {
    EXPECT_TRUE(absl::StrContains(found.at(student).problem, part)) << found.at(student).problem;
  };
  expect("empty", "empty.cc is empty");
  expect("blank", "blank.cc is empty");
  expect("none", "none holds no leak.cc");
  expect("two", "not clear which file to grade: two/a.cc, two/b.cc");
  expect("twice", "twice/x/leak.cc, twice/y/leak.cc");
  expect("ann", "there are 2 submissions: ann/leak.cc, ann.cc; keep one");
  expect("long", "longer than 1 MiB");
  expect("loop", "loop.cc is a link that leads nowhere or in a circle");
  expect("circle", "circle holds no leak.cc");
}

TEST(Submissions, AreMissedWithASentence) {
  Folder folder("nothing");
  folder.Add("README.md");
  const auto none = FindSubmissions(folder.path().string() + "/", "leak");
  EXPECT_TRUE(absl::StrContains(none.status().message(), "holds no submissions")) << none.status();
  const auto absent = FindSubmissions((folder.path() / "absent").string(), "leak");
  EXPECT_TRUE(absl::StrContains(absent.status().message(), "cannot read the folder"));
}

TEST(ClassBuild, NamesTargetsForAnyStudent) {
  EXPECT_EQ(TargetName("alice-2"), "alice-2");
  EXPECT_EQ(TargetName("a b,c"), "a_20b_2cc");
  EXPECT_NE(TargetName("a_20b"), TargetName("a b"));
  EXPECT_EQ(TargetName("\xc3\xa9"), "_c3_a9");
  // Longer ones than a file system takes.
  const std::string longest(250, '\xe9');
  EXPECT_LE(TargetName(longest).size(), 150u);
  EXPECT_NE(TargetName(longest + "a"), TargetName(longest + "b"));
}

TEST(ClassBuild, FindsTheFirstError) {
  EXPECT_EQ(
      FirstError("In file included from x:\nhomework/.class/leak/al/leak.cc:12:5: error: 'x' was "
                 "not declared\n  12 | x\nhomework/.class/leak/al/leak.cc:13:5: error: more\n",
                 "leak.cc"),
      "leak.cc:12:5: error: 'x' was not declared");
  EXPECT_EQ(
      FirstError("/usr/bin/ld: a.o: in function `f':\nx.cc:(.text+0x5): undefined reference to "
                 "`homework::Leak()'\ncollect2: error: ld returned 1 exit status\n",
                 "leak.cc"),
      "undefined reference to `homework::Leak()'");
  EXPECT_EQ(FirstError("nothing of the kind", "leak.cc"), "");
}

Exercise TwoChecks() {
  Exercise e;
  e.name = "leak";
  e.probes = [](uint64_t) { return std::vector<Probe>{{.name = "ordinary"}}; };
  e.knobs = {{"mask", "masks", {{"none", "does not mask"}}}};
  e.checks = {{.id = "shapes"}, {.id = "values"}};
  return e;
}

std::vector<ClassRow> Rows() {
  const std::map<std::string, std::string> failed = {{"shapes", "passed"}, {"values", "failed"}};
  return {{.student = "Ada, \"A.\"", .score = 1, .verdicts = {{"shapes", "passed"}}},
          {.student = "bob", .score = 0.5, .verdicts = failed, .mistakes = {"mask/none"}},
          {.student = "=cmd()", .verdicts = failed, .mistakes = {"mask/none"}},
          {.student = "dan", .verdicts = failed, .ending = "timed_out"},
          {.student = "eve", .verdicts = failed},
          {.student = "fay\nx", .problem = "it does not build: leak.cc:1: error: no"}};
}

TEST(ClassReport, ReadsAReportBack) {
  const absl::StatusOr<ClassRow> row =
      RowFromJson("ada", R"({"score": 0.5, "checks": [{"id": "shapes", "verdict": "passed"},
                 {"id": "values", "verdict": "failed", "ending": "threw"}],
                 "diagnosis": {"text": "It is.", "explanations": [{"mistakes": ["mask/none"]}]}})");
  ASSERT_TRUE(row.ok()) << row.status();
  EXPECT_EQ(row->passed_checks(), 1u);
  EXPECT_EQ(row->ending, "threw");
  EXPECT_EQ(row->mistakes, std::vector<std::string>{"mask/none"});
  EXPECT_EQ(row->sentence, "It is.");
  EXPECT_FALSE(RowFromJson("ada", "{}").ok());
  EXPECT_FALSE(RowFromJson("ada", "[").ok());
}

TEST(ClassReport, WritesALineForEachStudent) {
  const std::string csv = ClassCsv(TwoChecks(), Rows());
  const std::vector<std::string> lines = absl::StrSplit(csv, '\n');
  EXPECT_EQ(lines[0],
            "student,file,score,passed,checks,mistakes,ending,what,problem,shapes,values");
  EXPECT_EQ(lines[1], "\"Ada, \"\"A.\"\"\",\"\",1.000,1,1,\"\",,\"\",\"\",passed,");
  EXPECT_EQ(lines[2], "\"bob\",\"\",0.500,1,2,\"mask/none\",,\"\",\"\",passed,failed");
  EXPECT_TRUE(absl::StartsWith(lines[3], "\"'=cmd()\"")) << lines[3];
}

TEST(ClassReport, CountsOutcomes) {
  const std::vector<Outcome> outcomes = OutcomesOf(TwoChecks(), Rows());
  ASSERT_EQ(outcomes.size(), 5u);
  EXPECT_EQ(outcomes[0].name, "passed");
  EXPECT_EQ(outcomes[1].name, "mask/none");
  EXPECT_EQ(outcomes[1].detail, "does not mask");
  EXPECT_EQ(outcomes[1].count, 2u);
  EXPECT_EQ(outcomes[2].name, "no known mistake, fails values");
  EXPECT_EQ(outcomes[3].name, "timed_out in values");
  EXPECT_EQ(outcomes[4].name, "does not build");
  const std::string summary = ClassSummary(TwoChecks(), Rows());
  EXPECT_TRUE(absl::StrContains(summary, "leak: 1 of 6 passed, 4 failed, 1 could not be graded\n"));
  EXPECT_TRUE(absl::StrContains(summary, "fay?x: it does not build")) << summary;
}

}  // namespace
}  // namespace lemma::tools::grading
