#include "datasets/text_dataset.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "datasets/split.h"

namespace lemma::datasets {
namespace {

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(Split, IsThatOfTheCourse) {
  EXPECT_EQ(TrainCharacters(1115394), 1003854);
  EXPECT_EQ(TrainCharacters(0), 0);
  EXPECT_EQ(TrainCharacters(1), 0);
  EXPECT_EQ(TrainCharacters(10), 9);
  EXPECT_EQ(TrainCharacters(19), 17);
}

TEST(TextDataset, TheFirstNineTenthsTrainAndTheRestValidates) {
  const TextDataset data = MakeTextDataset("text:a", "abcdefghij").value();
  EXPECT_EQ(data.tokenizer.Alphabet(), "abcdefghij");
  EXPECT_EQ(data.train, (std::vector<int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(data.val, (std::vector<int64_t>{9}));
}

TEST(TextDataset, DividesCharactersAndNotBytes) {
  std::string text;
  for (int i = 0; i < 20; ++i) text += "\u00E9";
  const TextDataset data = MakeTextDataset("text:a", text).value();
  EXPECT_EQ(data.train.size(), 18u);
  EXPECT_EQ(data.val.size(), 2u);
}

TEST(TextDataset, UsesTheAlphabetThatIsGiven) {
  const TextDataset data = MakeTextDataset("text:a", "cab", CharTokenizer::Course()).value();
  EXPECT_EQ(data.tokenizer.size(), 65);
  EXPECT_EQ(data.train, (std::vector<int64_t>{41, 39}));
  EXPECT_EQ(Message(MakeTextDataset("text:a", "ca#", CharTokenizer::Course()).status()),
            "text:a: the character '#' (U+0023) at position 2 (line 1, column 3) is not one of the "
            "65 characters of the alphabet");
}

TEST(TextDataset, RefusesAnEmptyTextAndBytesThatAreNotUtf8) {
  EXPECT_EQ(Message(MakeTextDataset("text:a", "").status()), "text:a: the text is empty");
  EXPECT_EQ(Message(MakeTextDataset("text:a", "ab\xFF").status()),
            "text:a: the text is not UTF-8: byte 2 is 0xFF, which does not start a character; "
            "convert the text to UTF-8");
}

TEST(TextDataset, APartShorterThanTheContextSaysHowManyTokensAreNeeded) {
  const TextDataset data = MakeTextDataset("text:a", std::string(640, 'x')).value();  // 576 and 64
  EXPECT_TRUE(CheckContext(data, 63).ok());
  EXPECT_EQ(
      Message(CheckContext(data, 64)),
      "the validation part of text:a has 64 tokens, and a context of 64 needs at least 65; use "
      "a longer text (a tenth of it validates) or a shorter context (--context)");
  EXPECT_EQ(
      Message(CheckContext(data, 1000)),
      "the training part of text:a has 576 tokens, and a context of 1000 needs at least 1001; "
      "use a longer text (a tenth of it validates) or a shorter context (--context)");
  EXPECT_FALSE(CheckContext(data, INT64_MAX).ok());
  EXPECT_EQ(Message(CheckContext(data, 0)), "the context is 0 tokens and must be at least 1");
}

TEST(ReadTextFile, ReadsBytesAsTheyAre) {
  const std::string path = testing::TempDir() + "/read_text_file";
  const std::string bytes = std::string("a\r\n\0b\xFF", 6) + std::string(100000, 'z');
  std::ofstream(path, std::ios::binary) << bytes;
  EXPECT_EQ(ReadTextFile(path).value(), bytes);
}

TEST(ReadTextFile, NamesWhatItCannotRead) {
  const std::string missing = testing::TempDir() + "/no_such_file";
  EXPECT_EQ(Message(ReadTextFile(missing).status()),
            "cannot read the text file '" + missing + "': No such file or directory");
  EXPECT_EQ(Message(ReadTextFile(testing::TempDir()).status()),
            "cannot read the text file '" + testing::TempDir() + "': Is a directory");
}

TEST(ReadTextFile, APipeIsRefusedWithoutWaiting) {
  const std::string pipe = testing::TempDir() + "/pipe";
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(Message(ReadTextFile(pipe).status()),
            "cannot read the text file '" + pipe +
                "': it is a pipe, and a text is read more than once; write it to a file first");
}

}  // namespace
}  // namespace lemma::datasets
