// What the commands of grade share: where the workspace and the homework are, what the teacher
// decided, how much may be told. Each function ends the program through Die where it has to.
#ifndef LEMMA_TOOLS_GRADE_SETTINGS_H_
#define LEMMA_TOOLS_GRADE_SETTINGS_H_

#include <string>
#include <vector>

#include "tools/flags.h"
#include "tools/grading/answer.h"
#include "tools/grading/build.h"
#include "tools/grading/exercise.h"
#include "tools/grading/judge.h"
#include "tools/grading/learner_folder.h"
#include "tools/grading/report.h"
#include "tools/grading/teacher.h"

namespace lemma::tools::grading {

constexpr int kPassed = 0, kFailed = 1, kNotGradable = 2, kBroken = 3;

// --homework, --teacher, --detail, --bazel.
FlagGroup SettingsFlagGroup();

bool Exists(const std::string& path);
std::string ReadOrDie(const std::string& path);
// To the file that a flag names, to stdout where that is "-", nowhere where it is empty.
void WriteOrDie(const std::string& flag, const std::string& text);

// The root of the Bazel workspace that the user is in.
std::string Workspace();
std::string HomeworkFolder();
LearnerFolder Homework();
// The workspace, and --bazel.
Workshop WorkshopFromFlags();

Teacher TeacherSettings();
// What the user asked for, and no more than the teacher allows.
Detail AllowedDetail(const Teacher& teacher);
// The teacher's seed and weights, without what `examinee` cannot be asked.
JudgeOptions OptionsFor(const Exercise& exercise, const Examinee& examinee, const Teacher& teacher);

// The exercise of a command: its second word.
const Exercise& ExerciseNamed(const std::vector<std::string>& words);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADE_SETTINGS_H_
