// The main of each proposition's target: runs its tests, as gtest_main does.
//
// With --row it prints the target's row of README.md's table and nothing else, after running the
// tests; with --statement the part of the row that does not depend on a run, without running them;
// with --machine what the measurements were made on.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "autograd/threads.h"
#include "gtest/gtest.h"
#include "tests/propositions/row.h"

namespace lemma::propositions {
namespace {

std::string Cell(const std::string& text) {
  return absl::StrReplaceAll(text, {{"|", "\\|"}, {"\n", " "}});
}

// //tests/propositions/head:simplex_test, from the path of the program.
std::string Target(const std::string& path) {
  const size_t start = path.rfind("tests/propositions/");
  const size_t name = path.rfind('/');
  if (start == std::string::npos) return path;
  return absl::StrCat("//", path.substr(start, name - start), ":", path.substr(name + 1));
}

std::string StatementCells(const std::string& program) {
  const Statement& s = ThisRow().statement;
  return absl::StrCat("| ", Cell(s.statement), " | ", Cell(s.source), " | ", Cell(s.exact), " | `",
                      Target(program), "` |");
}

// The first value of a key in /proc/cpuinfo, "" where there is none.
std::string CpuInfo(absl::string_view key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, key)) continue;
    return std::string(absl::StripAsciiWhitespace(rest.substr(rest.find(':') + 1)));
  }
  return "";
}

std::string Machine() {
  const std::string flags = absl::StrCat(CpuInfo("flags"), " ");
  const char* vectors = absl::StrContains(flags, "avx512f ") ? ", AVX-512"
                        : absl::StrContains(flags, "avx2 ")  ? ", AVX2"
                                                             : "";
  return absl::StrCat("Measured on: ", CpuInfo("model name"), vectors, "; threads: ", NumThreads(),
                      ".");
}

// Runs the tests with their output kept back, and prints it only if one fails.
int PrintRow(const std::string& program) {
  std::ostringstream output;
  std::streambuf* const terminal = std::cout.rdbuf(output.rdbuf());
  ::testing::TestEventListeners& listeners = ::testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  const int status = RUN_ALL_TESTS();
  std::cout.rdbuf(terminal);
  if (status != 0) {
    std::cerr << program << " fails:\n" << output.str();
    return status;
  }
  std::cout << StatementCells(program) << ' ' << Cell(absl::StrJoin(ThisRow().measured, "<br>"))
            << " |\n";
  return 0;
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (ThisRow().statement.statement.empty()) {
    std::cerr << argv[0] << " has no Proposition\n";
    return 1;
  }
  const std::string flag = argc > 1 ? argv[1] : "";
  if (flag == "--statement") {
    std::cout << StatementCells(argv[0]) << '\n';
    return 0;
  }
  if (flag == "--machine") {
    std::cout << Machine() << '\n';
    return 0;
  }
  if (flag == "--row") return PrintRow(argv[0]);
  std::cout << ThisRow().statement.statement << "\n(" << ThisRow().statement.source << "; "
            << ThisRow().statement.exact << ")\n";
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace lemma::propositions

int main(int argc, char** argv) { return lemma::propositions::Main(argc, argv); }
