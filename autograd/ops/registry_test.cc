#include "autograd/ops/registry.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma {
namespace {

TEST(Registry, EveryOpOfAHeaderIsInTheTable) {
  const std::string start = "extern const OpDef k";
  size_t declared = 0;
  for (const auto& entry : std::filesystem::directory_iterator("autograd/ops")) {
    if (entry.path().extension() != ".h") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);) declared += line.rfind(start, 0) == 0;
  }
  EXPECT_GT(declared, 0u);
  EXPECT_EQ(AllOps().size(), declared) << "a header of autograd/ops declares an op that "
                                          "autograd/ops/registry.cc does not list, or the reverse";
}

TEST(Registry, NamesAreDistinct) {
  std::set<std::string> names;
  for (const OpDef* op : AllOps()) {
    EXPECT_TRUE(names.insert(op->name).second) << op->name << " is there twice";
  }
}

TEST(Registry, FindsAnOpByItsName) {
  for (const OpDef* op : AllOps()) EXPECT_EQ(FindOp(op->name), op);
  EXPECT_EQ(FindOp("no such op"), nullptr);
}

}  // namespace
}  // namespace lemma
