#include "tools/bench/instructions.h"

#include <cstdio>
#include <fstream>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "tools/subprocess.h"

namespace lemma::tools::bench {

absl::StatusOr<int64_t> CountInstructions(const std::string& program, const std::string& folder) {
  const std::string path = absl::StrCat(folder, "/callgrind.out");
  const absl::StatusOr<ProcessResult> result =
      RunProgram({"valgrind", "--tool=callgrind", absl::StrCat("--callgrind-out-file=", path),
                  "--toggle-collect=LemmaCountedStep", program},
                 "");
  if (absl::IsNotFound(result.status())) {
    return absl::NotFoundError("there is no valgrind to count instructions with");
  }
  if (!result.ok()) return result.status();
  if (result->exit_status != 0) {
    return absl::UnavailableError(
        absl::StrCat("valgrind ended with ", result->exit_status, ": ", result->errors));
  }
  std::ifstream file(path);
  std::string line;
  int64_t instructions = 0;
  while (std::getline(file, line)) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, "summary:")) continue;
    if (absl::SimpleAtoi(absl::StripAsciiWhitespace(rest), &instructions)) break;
  }
  std::remove(path.c_str());
  if (instructions <= 0) return absl::DataLossError("callgrind counted nothing");
  return instructions;
}

}  // namespace lemma::tools::bench
