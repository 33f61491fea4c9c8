#include "datasets/sha256.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace lemma::datasets {
namespace {

// The examples of FIPS 180-2, appendix B, and the empty text.
TEST(Sha256, AgreesWithTheStandardsExamples) {
  EXPECT_EQ(Sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, OfAFileIsThatOfItsBytes) {
  const std::string path = testing::TempDir() + "/sha256_test_file";
  const std::string bytes = std::string(200000, 'x') + '\0' + "\r\n\xff";
  std::ofstream(path, std::ios::binary) << bytes;
  ASSERT_TRUE(Sha256OfFile(path).ok());
  EXPECT_EQ(*Sha256OfFile(path), Sha256(bytes));
}

TEST(Sha256, NamesAFileThatCannotBeRead) {
  const std::string missing = testing::TempDir() + "/no_such_file";
  EXPECT_EQ(Sha256OfFile(missing).status().message(),
            "cannot read the file '" + missing + "': No such file or directory");
  EXPECT_EQ(Sha256OfFile(testing::TempDir()).status().message(),
            "cannot read the file '" + testing::TempDir() + "': Is a directory");
}

}  // namespace
}  // namespace lemma::datasets
