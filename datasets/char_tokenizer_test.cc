#include "datasets/char_tokenizer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace lemma::datasets {
namespace {

using Tokens = std::vector<int64_t>;

std::string Message(const absl::Status& status) { return std::string(status.message()); }

CharTokenizer FromText(const std::string& text) { return CharTokenizer::FromText(text).value(); }

TEST(CharTokenizer, TokensArePlacesInTheSortedAlphabet) {
  const CharTokenizer tokenizer = FromText("hello");
  EXPECT_EQ(tokenizer.Alphabet(), "ehlo");
  EXPECT_EQ(tokenizer.size(), 4);
  EXPECT_EQ(tokenizer.Encode("hole").value(), (Tokens{1, 3, 2, 0}));
  EXPECT_EQ(tokenizer.Decode({1, 3, 2, 0}).value(), "hole");
  EXPECT_EQ(tokenizer.Encode("").value(), Tokens{});
  EXPECT_EQ(tokenizer.Decode({}).value(), "");
}

TEST(CharTokenizer, TheCoursesAlphabetHas65Characters) {
  const CharTokenizer tokenizer = CharTokenizer::Course();
  EXPECT_EQ(tokenizer.size(), 65);
  EXPECT_EQ(tokenizer.Alphabet(), CourseAlphabet());
  // The course's own first sentence, "First Citizen:".
  EXPECT_EQ(tokenizer.Encode("First Citizen:").value(),
            (Tokens{18, 47, 56, 57, 58, 1, 15, 47, 58, 47, 64, 43, 52, 10}));
}

TEST(CharTokenizer, ACharacterIsACodePoint) {
  const std::string text = "na\u00EFve \u2014 \U0001F3AD\n";
  const CharTokenizer tokenizer = FromText(text);
  EXPECT_EQ(tokenizer.size(), 9);
  EXPECT_EQ(tokenizer.Alphabet(), "\n aenv\u00EF\u2014\U0001F3AD");
  const Tokens tokens = tokenizer.Encode(text).value();
  EXPECT_EQ(tokens.size(), 10u);
  EXPECT_EQ(tokenizer.Decode(tokens).value(), text);
}

TEST(CharTokenizer, EveryCodePointSurvivesARoundTrip) {
  for (char32_t first = 0; first <= 0x10FFFF; first += 0x400) {
    if (first >= 0xD800 && first <= 0xDFFF) continue;
    for (const char32_t c : {first, char32_t(first + 0x7F), char32_t(first + 0x3FF)}) {
      std::string text;
      if (c < 0x80) {
        text = {static_cast<char>(c)};
      } else if (c < 0x800) {
        text = {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 63))};
      } else if (c < 0x10000) {
        text = {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 63)),
                static_cast<char>(0x80 | (c & 63))};
      } else {
        text = {static_cast<char>(0xF0 | c >> 18), static_cast<char>(0x80 | (c >> 12 & 63)),
                static_cast<char>(0x80 | (c >> 6 & 63)), static_cast<char>(0x80 | (c & 63))};
      }
      ASSERT_EQ(DecodeUtf8(text).value(), std::vector<char32_t>{c});
      ASSERT_EQ(FromText(text).Alphabet(), text);
    }
  }
}

TEST(CharTokenizer, ShowsAnUnknownCharacterAndItsPlace) {
  const CharTokenizer tokenizer = FromText("to be\nor not");
  EXPECT_EQ(Message(tokenizer.Encode("to be\nor n#t").status()),
            "the character '#' (U+0023) at position 10 (line 2, column 5) is not one of the 8 "
            "characters of the alphabet");
  EXPECT_EQ(Message(tokenizer.Encode("b\t").status()),
            "the character '\\t' (U+0009) at position 1 (line 1, column 2) is not one of the 8 "
            "characters of the alphabet");
  EXPECT_EQ(Message(tokenizer.Encode("\n\n\u00E9").status()),
            "the character '\u00E9' (U+00E9) at position 2 (line 3, column 1) is not one of the 8 "
            "characters of the alphabet");
  EXPECT_EQ(Message(tokenizer.Encode("\u202E").status()),
            "the character U+202E at position 0 (line 1, column 1) is not one of the 8 characters "
            "of the alphabet");
}

TEST(CharTokenizer, RefusesATokenThatTheAlphabetDoesNotHave) {
  const CharTokenizer tokenizer = FromText("abc");
  EXPECT_EQ(
      Message(tokenizer.Decode({0, 3}).status()),
      "the token 3 at position 1 is outside of the alphabet, which has 3 characters (0 to 2)");
  EXPECT_EQ(
      Message(tokenizer.Decode({-1}).status()),
      "the token -1 at position 0 is outside of the alphabet, which has 3 characters (0 to 2)");
}

TEST(CharTokenizer, RefusesBytesThatAreNotUtf8) {
  EXPECT_EQ(Message(CharTokenizer::FromText("caf\xE9 au lait").status()),
            "the text is not UTF-8: byte 3 is 0xE9, which does not start a character; convert the "
            "text to UTF-8");
  for (const std::string text :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\x80", "\xE0\x9F\xBF", "\xED\xA0\x80",
        "\xED\xBF\xBF", "\xF0\x80\x80\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "\xC3", "\xE2\x82", "\xF0\x9F\x8E", "\xC3\x28"}) {
    EXPECT_FALSE(DecodeUtf8(text).ok());
    EXPECT_FALSE(CharTokenizer::Course().Encode(text).ok());
  }
}

TEST(CharTokenizer, RefusesAnAlphabetThatIsEmptyOrHasACharacterTwice) {
  EXPECT_EQ(CharTokenizer::FromAlphabet("cab")->Alphabet(), "abc");
  EXPECT_EQ(Message(CharTokenizer::FromAlphabet("abca").status()),
            "the alphabet has the character 'a' (U+0061) twice");
  EXPECT_EQ(Message(CharTokenizer::FromAlphabet("").status()), "the alphabet is empty");
  EXPECT_EQ(Message(CharTokenizer::FromText("").status()),
            "the text is empty, so it has no alphabet");
}

TEST(CharTokenizer, StartsFromATokenThatExists) {
  EXPECT_EQ(FromText("a b\n").DefaultStart(), 0);
  EXPECT_EQ(FromText("\ta b").DefaultStart(), 1);  // the space; a tab sorts before it
  EXPECT_EQ(FromText("ab").DefaultStart(), 0);
}

TEST(CharTokenizer, ExplainsHowTwoAlphabetsDiffer) {
  const CharTokenizer a = FromText("abc"), b = FromText("abdx"), c = FromText("ab");
  EXPECT_EQ(a.FirstDifference(b, "the checkpoint", "the text"),
            "the alphabet of the checkpoint has 3 characters and that of the text has 4; the first "
            "that differs is token 2: 'c' (U+0063) in the checkpoint, 'd' (U+0064) in the text");
  EXPECT_EQ(a.FirstDifference(c, "the checkpoint", "the text"),
            "the alphabet of the checkpoint has 3 characters and that of the text has 2; the first "
            "that differs is token 2: 'c' (U+0063) in the checkpoint, none in the text");
  EXPECT_EQ(a.FirstDifference(FromText("cba"), "the checkpoint", "the text"), "");
}

TEST(CharTokenizer, SurvivesAnyBytes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; ++round) {
    std::string bytes(random() % 12, '\0');
    for (char& byte : bytes) {
      byte = static_cast<char>(random() % 3 == 0 ? random() % 128 : 128 + random() % 128);
    }
    const auto tokenizer = CharTokenizer::FromText(bytes);
    if (!tokenizer.ok()) continue;
    ASSERT_EQ(tokenizer->Decode(tokenizer->Encode(bytes).value()).value(), bytes);
    ASSERT_EQ(CharTokenizer::FromAlphabet(tokenizer->Alphabet()).value(), *tokenizer);
  }
}

}  // namespace
}  // namespace lemma::datasets
