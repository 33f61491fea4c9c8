#include "nn/safetensors_header.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace lemma::nn {
namespace {

std::string Entry(const std::string& name, const std::string& dtype, const std::string& shape,
                  const std::string& offsets) {
  return absl::StrCat("\"", name, "\":{\"dtype\":\"", dtype, "\",\"shape\":", shape,
                      ",\"data_offsets\":", offsets, "}");
}

std::string ErrorOf(const std::string& json, uint64_t buffer_bytes) {
  const absl::StatusOr<SafetensorsHeader> header = ParseSafetensorsHeader(json, buffer_bytes);
  return header.ok() ? "accepted" : std::string(header.status().message());
}

TEST(SafetensorsHeader, PlacesComeInTheOrderOfTheBuffer) {
  const std::string json = absl::StrCat("{", Entry("a", "F32", "[2,3]", "[16,40]"), ",",
                                        "\"__metadata__\":{\"step\":\"7\",\"\":\"\\u00e9\"},",
                                        Entry("b", "I64", "[2]", "[0,16]"), ",",
                                        Entry("c", "U8", "[]", "[40,41]"), "}  ");
  const absl::StatusOr<SafetensorsHeader> header = ParseSafetensorsHeader(json, 41);
  ASSERT_TRUE(header.ok()) << header.status();
  ASSERT_EQ(header->places.size(), 3u);
  EXPECT_EQ(header->places[0].name, "b");
  EXPECT_EQ(header->places[1].name, "a");
  EXPECT_EQ(header->places[1].shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(header->places[1].begin, 16u);
  EXPECT_EQ(header->places[2].shape, std::vector<int64_t>{});
  EXPECT_EQ(header->metadata.at("step"), "7");
  EXPECT_EQ(header->metadata.at(""), "\u00e9");
}

TEST(SafetensorsHeader, EmptyTensorsAndEmptyFilesAreFine) {
  EXPECT_EQ(ErrorOf("{}", 0), "accepted");
  EXPECT_EQ(ErrorOf(absl::StrCat("{", Entry("none", "F32", "[0,5]", "[4,4]"), ",",
                                 Entry("one", "F32", "[1]", "[0,4]"), ",",
                                 Entry("zero", "F64", "[3,0]", "[0,0]"), "}"),
                    4),
            "accepted");
}

TEST(SafetensorsHeader, EveryDTypeHasItsSize) {
  const struct {
    const char* name;
    int bits;
  } kTypes[] = {{"BOOL", 8},        {"F4", 4},         {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
                {"I8", 8},          {"F8_E5M2", 8},    {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"I16", 16},
                {"U16", 16},        {"F16", 16},       {"BF16", 16},   {"I32", 32},    {"U32", 32},
                {"F32", 32},        {"C64", 64},       {"F64", 64},    {"I64", 64},    {"U64", 64},
                {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8}};
  for (const auto& type : kTypes) {
    const int bytes = type.bits;  // of 8 elements
    const std::string json =
        absl::StrCat("{", Entry("x", type.name, "[2,4]", absl::StrCat("[0,", bytes, "]")), "}");
    EXPECT_EQ(ErrorOf(json, bytes), "accepted") << type.name;
    EXPECT_EQ(Name(*SafetensorsDTypeFromName(type.name)), type.name);
  }
}

TEST(SafetensorsHeader, DTypesOfThisLibraryMapBothWays) {
  for (const DType dtype : {DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kInt32,
                            DType::kInt64, DType::kBool}) {
    EXPECT_EQ(ToDType(ToSafetensorsDType(dtype)), dtype);
  }
  EXPECT_EQ(Name(ToSafetensorsDType(DType::kBFloat16)), "BF16");
  EXPECT_EQ(ToDType(SafetensorsDType::kF16), std::nullopt);
}

TEST(SafetensorsHeader, EveryLieIsRefusedWithTheTensorsName) {
  const struct {
    std::string json;
    uint64_t buffer_bytes;
    std::string error;
  } kCases[] = {
      // The layout.
      {"{" + Entry("w", "F64", "[4]", "[0,16]") + "}", 16,
       "tensor 'w' of dtype F64 and shape (4,) needs 32 bytes, but its data_offsets [0, 16] give "
       "it "
       "16"},
      {"{" + Entry("w", "F32", "[2,2]", "[0,16]") + "}", 10,
       "tensor 'w' ends at byte 16 of the buffer, but the file has 10 bytes after the header: it "
       "is "
       "cut short"},
      {"{" + Entry("w", "F32", "[2,2]", "[0,16]") + "}", 20,
       "the file has 4 bytes after the last tensor, of no tensor"},
      {"{}", 1, "the file has 1 byte after the last tensor, of no tensor"},
      {"{" + Entry("w", "F32", "[1]", "[4,0]") + "}", 4,
       "tensor 'w' has reversed data_offsets [4, 0]"},
      {"{" + Entry("a", "F32", "[1]", "[0,4]") + "," + Entry("b", "F32", "[1]", "[8,12]") + "}", 12,
       "tensor 'b' begins at byte 8 of the buffer, but the tensors before it end at 4"},
      {"{" + Entry("a", "F32", "[2]", "[0,8]") + "," + Entry("b", "F32", "[1]", "[4,8]") + "}", 8,
       "tensor 'b' begins at byte 4 of the buffer, but bytes up to 8 belong to another tensor"},
      {"{" + Entry("a", "F32", "[1]", "[0,4]") + "," + Entry("b", "F32", "[1]", "[0,4]") + "}", 4,
       "tensor 'b' begins at byte 0 of the buffer, but bytes up to 4 belong to another tensor"},
      {"{" + Entry("w", "F32", "[4294967296,4294967296]", "[0,0]") + "}", 0,
       "tensor 'w' has a shape (4294967296, 4294967296) too large for 64 bits"},
      {"{" + Entry("w", "U8", "[2305843009213693952]", "[0,0]") + "}", 0,
       "tensor 'w' has a shape (2305843009213693952,) too large for 64 bits"},
      {"{" + Entry("w", "F32", "[0,4611686018427387904,4]", "[0,0]") + "}", 0,
       "tensor 'w' has a shape (0, 4611686018427387904, 4) too large for 64 bits"},
      {"{" + Entry("w", "F4", "[3]", "[0,1]") + "}", 1,
       "tensor 'w' of dtype F4 and shape (3,) has 12 bits, no whole number of bytes"},
      // A tensor's entry.
      {"{" + Entry("w", "F31", "[1]", "[0,4]") + "}", 4,
       "tensor 'w' has the dtype 'F31', which the safetensors format does not have"},
      {"{" + Entry("w", "f32", "[1]", "[0,4]") + "}", 4,
       "tensor 'w' has the dtype 'f32', which the safetensors format does not have"},
      {"{" + Entry("w", "F32", "[-1]", "[0,4]") + "}", 4,
       "tensor 'w' has the number -1 in its shape"},
      {"{" + Entry("w", "F32", "[1.0]", "[0,4]") + "}", 4,
       "tensor 'w' has the number '1.0' in its shape"},
      {"{" + Entry("w", "F32", "[18446744073709551615]", "[0,4]") + "}", 4,
       "tensor 'w' has a dimension of 18446744073709551615"},
      {"{" + Entry("w", "F32", "[18446744073709551616]", "[0,4]") + "}", 4,
       "tensor 'w' has the number '18446744073709551616' in its shape"},
      {"{" + Entry("w", "F32", "[[1]]", "[0,4]") + "}", 4, "tensor 'w' has an array in its shape"},
      {"{" + Entry("w", "F32", "1", "[0,4]") + "}", 4, "tensor 'w' has a number as its shape"},
      {"{" + Entry("w", "F32", "null", "[0,4]") + "}", 4, "tensor 'w' has null as its shape"},
      {"{" + Entry("w", "F32", "[1]", "[0]") + "}", 4,
       "tensor 'w' has 1 data_offsets instead of 2"},
      {"{" + Entry("w", "F32", "[1]", "[0,4,8]") + "}", 4,
       "tensor 'w' has more than 2 data_offsets"},
      {"{" + Entry("w", "F32", "[1]", "[-4,0]") + "}", 4,
       "tensor 'w' has the number -4 in its data_offsets"},
      {"{" + Entry("w", "F32", "[1]", "{}") + "}", 4,
       "tensor 'w' has an object as its data_offsets"},
      {"{\"w\":{\"dtype\":\"F32\",\"shape\":[1]}}", 4, "tensor 'w' has no data_offsets"},
      {"{\"w\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "tensor 'w' has no dtype"},
      {"{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "tensor 'w' has no shape"},
      {"{\"w\":{\"dtype\":\"F32\",\"dtype\":\"F64\"}}", 4, "tensor 'w' has its dtype twice"},
      {"{\"w\":{\"strides\":[1]}}", 4, "tensor 'w' has an unknown field 'strides'"},
      {"{\"w\":5}", 0, "the entry 'w' is a number, not an object"},
      {"{\"w\":[]}", 0, "the entry 'w' is an array, not an object"},
      // Names.
      {"{" + Entry("w", "F32", "[1]", "[0,4]") + "," + Entry("w", "F32", "[1]", "[4,8]") + "}", 8,
       "the name 'w' occurs twice in the header"},
      {"{" + Entry("w\\u0000x", "F32", "[1]", "[0,4]") + "}", 4,
       "tensor 'w\\x00x' has a NUL byte in its name"},
      {"{" + Entry("w\\u001b[2J", "F31", "[1]", "[0,4]") + "}", 4,
       "tensor 'w\\x1b[2J' has the dtype 'F31', which the safetensors format does not have"},
      {"{" + Entry(std::string(5000, 'n'), "F32", "[1]", "[0,4]") + "}", 4,
       "tensor '" + std::string(80, 'n') +
           "...' has a name of 5000 bytes; at most 4096 are allowed"},
      // Metadata.
      {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "__metadata__ has the key 'a' twice"},
      {"{\"__metadata__\":{\"a\":1}}", 0,
       "__metadata__ has a number under 'a', but may hold strings only"},
      {"{\"__metadata__\":{\"a\":{}}}", 0,
       "__metadata__ has an object under 'a', but may hold strings only"},
      {"{\"__metadata__\":\"a\"}", 0, "the entry '__metadata__' is a string, not an object"},
      {"{\"__metadata__\":{},\"__metadata__\":{}}", 0,
       "the name '__metadata__' occurs twice in the header"},
      // JSON.
      {"", 0, "its header does not begin with '{'"},
      {"[]", 0, "its header does not begin with '{'"},
      {" {}", 0, "its header does not begin with '{'"},
      {"\xEF\xBB\xBF{}", 0, "its header does not begin with '{'"},
      {"{", 0, "the header is not valid JSON in UTF-8 (at its byte 2)"},
      {"{}x", 0, "the header is not valid JSON in UTF-8 (at its byte 3)"},
      {"{}{}", 0, "the header is not valid JSON in UTF-8 (at its byte 3)"},
      {"{\"\xff\":1}", 0, "the header is not valid JSON in UTF-8 (at its byte 3)"},
      {"{\"\\ud800\":1}", 0, "the header is not valid JSON in UTF-8 (at its byte 9)"},
      {"{\"w\":NaN}", 0, "the header is not valid JSON in UTF-8 (at its byte 6)"},
      {"{\"w\":1e999}", 0, "the header is not valid JSON in UTF-8 (at its byte 10)"},
      {std::string("{}\0{", 4), 0, "the header is not valid JSON in UTF-8 (at its byte 3)"},
  };
  for (const auto& test : kCases) {
    EXPECT_EQ(ErrorOf(test.json, test.buffer_bytes), test.error) << test.json.substr(0, 200);
  }
}

TEST(SafetensorsHeader, NestingDoesNotUseTheStack) {
  constexpr int kDepth = 2'000'000;
  EXPECT_EQ(ErrorOf("{\"w\":" + std::string(kDepth, '['), 0),
            "the entry 'w' is an array, not an object");
  std::string objects;
  for (int i = 0; i < kDepth / 10; ++i) objects += "{\"a\":";
  EXPECT_EQ(ErrorOf(objects, 0), "tensor 'a' has an unknown field 'a'");
}

TEST(SafetensorsHeader, RankIsLimited) {
  std::string shape = "[1";
  for (size_t i = 1; i < kMaxSafetensorsRank; ++i) shape += ",1";
  EXPECT_EQ(ErrorOf("{" + Entry("w", "F32", shape + "]", "[0,4]") + "}", 4), "accepted");
  EXPECT_EQ(ErrorOf("{" + Entry("w", "F32", shape + ",1]", "[0,4]") + "}", 4),
            "tensor 'w' has more than 64 dimensions");
}

TEST(SafetensorsHeader, TheNumberOfTensorsIsLimited) {
  std::string json = "{";
  for (size_t i = 0; i <= kMaxSafetensorsTensors; ++i) {
    absl::StrAppend(&json, i == 0 ? "\"" : ",\"", i,
                    "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}");
  }
  EXPECT_EQ(ErrorOf(json + "}", 0), "the header has more than 1000000 tensors");
}

TEST(SafetensorsHeader, ALargeHeaderIsRefused) {
  EXPECT_EQ(ErrorOf(std::string(kMaxSafetensorsHeaderBytes + 1, '{'), 0),
            "its header has 100000001 bytes, more than the format's 100000000");
}

TEST(SafetensorsHeader, WhatIsFormattedIsParsedBack) {
  SafetensorsHeader header;
  header.metadata = {{"quote\"", "line\nbreak"}, {"\u20ac", "\x01"}};
  header.places = {{"a\"b", SafetensorsDType::kF32, {2, 0}, 0, 0},
                   {"\u00fc", SafetensorsDType::kBool, {}, 0, 1}};
  const absl::StatusOr<std::string> bytes = FormatSafetensorsHeader(header);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(bytes->size() % 8, 0u);
  const absl::StatusOr<SafetensorsHeader> back = ParseSafetensorsHeader(bytes->substr(8), 1);
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(back->metadata, header.metadata);
  EXPECT_EQ(back->places[0].name, "a\"b");
  EXPECT_EQ(back->places[1].name, "\u00fc");
}

TEST(SafetensorsHeader, TextThatIsNotUtf8IsNotWritten) {
  SafetensorsHeader header;
  header.metadata = {{"a", "\xff"}};
  EXPECT_FALSE(FormatSafetensorsHeader(header).ok());
}

}  // namespace
}  // namespace lemma::nn
