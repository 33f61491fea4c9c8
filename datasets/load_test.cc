#include "datasets/load.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "datasets/loopback_server.h"

namespace lemma::datasets {
namespace {

namespace fs = std::filesystem;

std::string EmptyFolder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("load_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder.string();
}

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = EmptyFolder(name) + "/text.txt";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

DatasetRequest Request(const std::string& name) {
  DatasetRequest request;
  request.name = name;
  return request;
}

TEST(Load, ATextOfTheUsersOwn) {
  const std::string path = WriteFile("own", "abcabcabcabcabcabcab");
  DatasetRequest request = Request("text:" + path);
  request.context = 1;
  const TextDataset data = Load(request).value();
  EXPECT_EQ(data.name, "text:" + path);
  EXPECT_EQ(data.origin, path);
  EXPECT_EQ(data.note, "");
  EXPECT_EQ(data.train.size(), 18u);
  EXPECT_EQ(data.val, (std::vector<int64_t>{0, 1}));
  EXPECT_FALSE(data.entropy.has_value());

  request.context = 8;
  EXPECT_EQ(Message(Load(request).status()),
            absl::StrCat("the validation part of text:", path,
                         " has 2 tokens, and a context of 8 needs at least 9; use a longer text (a "
                         "tenth of it validates) or a shorter context (--context)"));
}

TEST(Load, AByteOrderMarkAtTheStartIsNoCharacter) {
  const TextDataset data = Load(Request("text:" + WriteFile("mark",
                                                            "\xEF\xBB\xBF"
                                                            "abcabcabcabcabcabcab")))
                               .value();
  EXPECT_EQ(data.text, "abcabcabcabcabcabcab");
  EXPECT_EQ(data.tokenizer.Alphabet(), "abc");
  const TextDataset inside = Load(Request("text:" + WriteFile("inside", "ab\xEF\xBB\xBF"))).value();
  EXPECT_EQ(inside.tokenizer.size(), 3);
  const std::string alone = WriteFile("alone", "\xEF\xBB\xBF");
  EXPECT_EQ(Message(Load(Request("text:" + alone)).status()),
            "text:" + alone + ": the text is empty");
}

TEST(Load, NamesWhatIsWrongWithAText) {
  EXPECT_EQ(Message(Load(Request("text:")).status()),
            "--dataset=text: needs the path of a file, as text:PATH");
  EXPECT_EQ(Message(Load(Request("text:/no/such.txt")).status()),
            "cannot read the text file '/no/such.txt': No such file or directory");
  const std::string empty = WriteFile("empty", "");
  EXPECT_EQ(Message(Load(Request("text:" + empty)).status()),
            "text:" + empty + ": the text is empty");
}

TEST(Load, AnUnknownNameListsTheNames) {
  EXPECT_EQ(Message(Load(Request("shakespeare")).status()),
            "there is no data set 'shakespeare'; --dataset takes tinyshakespeare, plays or "
            "text:PATH");
}

TEST(Load, ATextThatDoesNotFitACheckpointsAlphabetSaysHowTheyDiffer) {
  const std::string path = WriteFile("alphabet", "abxabxabx");
  DatasetRequest request = Request("text:" + path);
  request.tokenizer = CharTokenizer::FromAlphabet("abc").value();
  EXPECT_EQ(
      Message(Load(request).status()),
      absl::StrCat("text:", path,
                   ": the character 'x' (U+0078) at position 2 (line 1, column "
                   "3) is not one of the 3 characters of the alphabet; the alphabet of the "
                   "checkpoint has 3 characters and that of text:",
                   path,
                   " has 3; the first that differs is token 2: 'c' (U+0063) in the checkpoint, "
                   "'x' (U+0078) in text:",
                   path));
  request.tokenizer = CharTokenizer::FromAlphabet("abcx").value();
  EXPECT_EQ(Load(request)->tokenizer.size(), 4);
}

TEST(Load, PlaysKnowTheirEntropy) {
  const TextDataset data = Load(Request("plays")).value();
  EXPECT_EQ(data.text.size(), 1115394u);
  EXPECT_EQ(data.train.size(), 1003854u);
  EXPECT_EQ(data.val.size(), 111540u);
  EXPECT_EQ(data.tokenizer, CharTokenizer::Course());
  EXPECT_EQ(data.origin, "made with seed 1");
  ASSERT_TRUE(data.entropy.has_value());
  EXPECT_GT(data.entropy->rate, 0.5);
  EXPECT_NEAR(data.entropy->val, data.entropy->rate, 0.05);
}

TEST(Load, WithoutANameAndADownloadPlaysAreUsedAndTheNoteSaysWhy) {
  const LoopbackServer server("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  DatasetRequest request;
  request.data_dir = EmptyFolder("default");
  request.data_url = server.Url();
  std::vector<std::string> said;
  request.announce = [&](const std::string& sentence) { said.push_back(sentence); };
  const TextDataset data = Load(request).value();
  EXPECT_EQ(data.name, "plays");
  EXPECT_EQ(data.note.substr(0, 65),
            "using the made-up corpus 'plays' instead of tiny Shakespeare: tin");
  EXPECT_NE(data.note.find("the server answered 503"), std::string::npos);
  EXPECT_EQ(said, std::vector<std::string>{absl::StrCat("downloading tiny Shakespeare from ",
                                                        server.Url(), " to ", request.data_dir,
                                                        "/tinyshakespeare")});
  request.name = "tinyshakespeare";  // asked for by name: nothing else will do
  EXPECT_FALSE(Load(request).ok());
}

TEST(Load, WithoutANameAWrongCopyIsNamedInTheNote) {
  DatasetRequest request;
  request.data_dir = EmptyFolder("wrong_copy");
  std::ofstream(request.data_dir + "/input.txt") << "a\r\nb";
  const TextDataset data = Load(request).value();
  EXPECT_EQ(data.name, "plays");
  EXPECT_NE(data.note.find("its line ends are CRLF"), std::string::npos);
}

TEST(Load, RealTinyShakespeareIsFoundInTheDataFolder) {
  const char* folder = std::getenv("LEMMA_DATA");
  if (folder == nullptr) GTEST_SKIP() << "LEMMA_DATA is not set";
  if (const auto found = FindTinyShakespeare(folder); !found.ok()) {
    GTEST_SKIP() << found.status().message();
  }
  DatasetRequest request;  // by default
  request.announce = [](const std::string& sentence) { ADD_FAILURE() << sentence; };
  const TextDataset data = Load(request).value();
  EXPECT_EQ(data.name, "tinyshakespeare");
  EXPECT_EQ(data.note, "");
  EXPECT_EQ(data.origin.find(folder), 0u);
  EXPECT_EQ(data.val.size(), 111540u);
  EXPECT_EQ(data.tokenizer, CharTokenizer::Course());
}

class DataDirTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : kNames) {
      const char* value = std::getenv(name);
      before_.push_back(value == nullptr ? "" : value);
      unsetenv(name);
    }
  }
  void TearDown() override {
    for (size_t i = 0; i < before_.size(); ++i) setenv(kNames[i], before_[i].c_str(), 1);
  }

  static constexpr const char* kNames[] = {"LEMMA_DATA", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::string> before_;
};

TEST_F(DataDirTest, IsTheFirstThatIsNamed) {
  EXPECT_EQ(Message(DataDir("").status()),
            "there is no data folder: none of LEMMA_DATA, XDG_CACHE_HOME and HOME is set; name one "
            "with --data_dir=DIR");
  setenv("HOME", "/home/me", 1);
  EXPECT_EQ(DataDir("").value(), "/home/me/.cache/lemma");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(DataDir("").value(), "/home/me/.cache/lemma");
  setenv("XDG_CACHE_HOME", "/cache", 1);
  EXPECT_EQ(DataDir("").value(), "/cache/lemma");
  setenv("LEMMA_DATA", "/data", 1);
  EXPECT_EQ(DataDir("").value(), "/data");
  EXPECT_EQ(DataDir("given").value(), "given");
}

}  // namespace
}  // namespace lemma::datasets
