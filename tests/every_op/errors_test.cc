// What each op says to a wrong call: op, argument, rule, what it got, and the way out.

#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "autograd/op.h"
#include "autograd/ops/registry.h"
#include "autograd/testing.h"
#include "gtest/gtest.h"
#include "tests/every_op/wrong_calls.h"

namespace lemma::every_op {
namespace {

// The text of each call, by its code: two lines of the file, the second one indented.
std::vector<std::pair<std::string, std::string>> ExpectedTexts() {
  std::ifstream file("tests/every_op/errors.txt");
  std::vector<std::pair<std::string, std::string>> texts;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == ' ') {
      texts.back().second = line.substr(line.find_first_not_of(' '));
    } else {
      texts.emplace_back(line, "");
    }
  }
  return texts;
}

TEST(Errors, SayWhatIsWrong) {
  const std::vector<WrongCall> calls = WrongCalls();
  if (const char* path = std::getenv("UPDATE_ERRORS")) {
    std::ofstream file(path);
    file << "# What the calls of wrong_calls.cc say. errors_test writes this where UPDATE_ERRORS\n"
            "# names the file.\n";
    for (const WrongCall& wrong : calls) {
      file << wrong.code << "\n    " << ErrorOf(wrong.call) << "\n";
    }
  }
  const auto expected = ExpectedTexts();
  ASSERT_EQ(expected.size(), calls.size()) << "errors.txt must have a text for each call";
  for (size_t i = 0; i < calls.size(); ++i) {
    EXPECT_EQ(expected[i].first, calls[i].code);
    EXPECT_EQ(ErrorOf(calls[i].call), expected[i].second) << calls[i].code;
  }
}

TEST(Errors, EveryOpRefusesSomething) {
  for (const OpDef* op : AllOps()) {
    int refused = 0;
    for (const WrongCall& wrong : WrongCalls()) {
      if (wrong.op == op->name) refused += ErrorOf(wrong.call) != "no error";
    }
    EXPECT_GT(refused, 0) << "the op '" << op->name
                          << "' has no wrong call; add one to wrong_calls.cc";
  }
}

}  // namespace
}  // namespace lemma::every_op
