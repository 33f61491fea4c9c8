#include "nn/safetensors.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lemma::nn {
namespace {

using ::testing::HasSubstr;

std::string PathOf(const std::string& name) { return ::testing::TempDir() + "/" + name; }

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string FileBytes(const std::string& json, const std::string& buffer) {
  const uint64_t size = json.size();
  std::string bytes(8, '\0');
  std::memcpy(bytes.data(), &size, 8);
  return bytes + json + buffer;
}

std::string OpenError(const std::string& bytes) {
  const std::string path = PathOf("hostile.safetensors");
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  const absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(path);
  if (file.ok()) return "accepted";
  const std::string start = "cannot read " + path + ": ";
  const std::string message(file.status().message());
  EXPECT_EQ(message.substr(0, start.size()), start);
  return message.substr(start.size());
}

// Two tensors of which the narrow one is named first.
std::string SmallFile(const std::string& path) {
  const float wide[] = {1.0f, -2.5f};
  const bool narrow[] = {true, false, true};
  const std::vector<SafetensorsTensor> tensors = {{"a", SafetensorsDType::kBool, {3}, narrow},
                                                  {"b", SafetensorsDType::kF32, {1, 2}, wide}};
  const absl::Status status = WriteSafetensors(path, tensors, {{"k", "v"}, {"j", ""}});
  EXPECT_TRUE(status.ok()) << status;
  return ReadAll(path);
}

TEST(Safetensors, BytesAreThoseOfTheFormat) {
  const std::string json =
      "{\"__metadata__\":{\"j\":\"\",\"k\":\"v\"},"
      "\"b\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},"
      "\"a\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[8,11]}}";
  const std::string padding((8 - json.size() % 8) % 8, ' ');
  const std::string buffer("\x00\x00\x80\x3f\x00\x00\x20\xc0\x01\x00\x01", 11);
  EXPECT_EQ(SmallFile(PathOf("small.safetensors")), FileBytes(json + padding, buffer));
}

TEST(Safetensors, OrderIsByDTypeThenNameWhateverOrderIsGiven) {
  const int64_t zeros[4] = {};
  std::vector<SafetensorsTensor> tensors = {
      {"u", SafetensorsDType::kU8, {1}, zeros},  {"h", SafetensorsDType::kBF16, {1}, zeros},
      {"z", SafetensorsDType::kF32, {1}, zeros}, {"y", SafetensorsDType::kF32, {1}, zeros},
      {"d", SafetensorsDType::kF64, {1}, zeros}, {"l", SafetensorsDType::kI64, {1}, zeros}};
  const std::string path = PathOf("order.safetensors");
  ASSERT_TRUE(WriteSafetensors(path, tensors, {}).ok());
  const std::string first = ReadAll(path);
  std::reverse(tensors.begin(), tensors.end());
  ASSERT_TRUE(WriteSafetensors(path, tensors, {}).ok());
  EXPECT_EQ(ReadAll(path), first);
  size_t last = 0;
  for (const char* name : {"\"l\"", "\"d\"", "\"y\"", "\"z\"", "\"h\"", "\"u\""}) {
    EXPECT_GT(first.find(name), last) << name;
    last = first.find(name);
  }
}

TEST(Safetensors, WhatIsWrittenIsReadBack) {
  const std::string path = PathOf("back.safetensors");
  SmallFile(path);
  const absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->metadata().at("k"), "v");
  ASSERT_EQ(file->entries().size(), 2u);
  EXPECT_EQ(file->entries()[0].name, "a");
  const SafetensorsEntry* b = file->Find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->dtype, SafetensorsDType::kF32);
  EXPECT_EQ(b->shape, (std::vector<int64_t>{1, 2}));
  float values[2];
  ASSERT_EQ(b->bytes.size(), sizeof(values));
  std::memcpy(values, b->bytes.data(), sizeof(values));
  EXPECT_EQ(values[1], -2.5f);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b->bytes.data()) % 8, 0u);
  EXPECT_EQ(file->Find("c"), nullptr);
}

TEST(Safetensors, AnOpenFileOutlivesItsHandleAndItsReplacement) {
  const std::string path = PathOf("replaced.safetensors");
  SmallFile(path);
  absl::string_view bytes;
  std::shared_ptr<const void> owner;
  {
    const absl::StatusOr<SafetensorsFile> file = SafetensorsFile::Open(path);
    ASSERT_TRUE(file.ok());
    bytes = file->Find("a")->bytes;
    owner = file->owner();
  }
  ASSERT_TRUE(WriteSafetensors(path, {}, {}).ok());
  EXPECT_EQ(bytes, absl::string_view("\x01\x00\x01", 3));
  EXPECT_EQ(SafetensorsFile::Open(path)->entries().size(), 0u);
}

TEST(Safetensors, FilesThatLieAboutTheirHeaderAreRefused) {
  const std::string whole = SmallFile(PathOf("whole.safetensors"));
  EXPECT_EQ(OpenError(whole), "accepted");
  EXPECT_EQ(OpenError(""),
            "it has 0 bytes, too few for a safetensors file, which begins with 8 bytes of size");
  EXPECT_EQ(OpenError("1234567"),
            "it has 7 bytes, too few for a safetensors file, which begins with 8 bytes of size");
  EXPECT_EQ(
      OpenError(std::string("\0\0\0\0\0\0\0\x10", 8) + "{}"),
      "it promises a header of 1152921504606846976 bytes, more than the format's 100000000; is "
      "it a safetensors file?");
  EXPECT_EQ(OpenError(std::string(8, '\xff') + "{}"),
            "it promises a header of 18446744073709551615 bytes, more than the format's 100000000; "
            "is it a safetensors file?");
  EXPECT_EQ(OpenError(std::string("\x03\0\0\0\0\0\0\0", 8) + "{}"),
            "it promises a header of 3 bytes and has only 2: it is cut short");
  EXPECT_EQ(OpenError(std::string(8, '\0')), "its header does not begin with '{'");
  EXPECT_EQ(OpenError(whole + "x"), "the file has 1 byte after the last tensor, of no tensor");
  EXPECT_EQ(OpenError(whole.substr(0, whole.size() - 1)),
            "tensor 'a' ends at byte 11 of the buffer, but the file has 10 bytes after the header: "
            "it is cut short");
}

TEST(Safetensors, OtherFormatsAreNamed) {
  EXPECT_EQ(OpenError("PK\x03\x04 and more bytes"),
            "it is a zip archive, as torch.save writes, not a safetensors file");
  EXPECT_THAT(OpenError("GGUF\x03 and more bytes"), HasSubstr("a GGUF file"));
  EXPECT_THAT(OpenError("version https://git-lfs.github.com/spec/v1\n"), HasSubstr("git lfs pull"));
}

TEST(Safetensors, AHeaderWhoseSizeLooksLikeAPickleIsRead) {
  EXPECT_EQ(OpenError(FileBytes("{}" + std::string(0x280 - 2, ' '), "")), "accepted");
}

TEST(Safetensors, BooleansAreZeroOrOne) {
  const std::string json = "{\"m\":{\"dtype\":\"BOOL\",\"shape\":[3],\"data_offsets\":[0,3]}}";
  EXPECT_EQ(OpenError(FileBytes(json, "\x01\x01\x01")), "accepted");
  EXPECT_EQ(OpenError(FileBytes(json, "\x01\x01\xff")),
            "tensor 'm' of dtype BOOL has a byte 255 at its position 2; only 0 and 1 are booleans");
}

TEST(Safetensors, WhatIsNoFileIsRefusedWithoutWaiting) {
  EXPECT_THAT(std::string(SafetensorsFile::Open(PathOf("none")).status().message()),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(std::string(SafetensorsFile::Open(::testing::TempDir()).status().message()),
              HasSubstr("it is a folder"));
  const std::string pipe = PathOf("pipe");
  unlink(pipe.c_str());
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(std::string(SafetensorsFile::Open(pipe).status().message()),
              HasSubstr("a device or a pipe"));
}

TEST(Safetensors, WritersRefuseWhatReadersWould) {
  const std::string path = PathOf("refused.safetensors");
  const float x[1] = {};
  const auto error = [&](const std::vector<SafetensorsTensor>& tensors) {
    return std::string(WriteSafetensors(path, tensors, {}).message());
  };
  EXPECT_EQ(error({{"w", SafetensorsDType::kF32, {1}, x}, {"w", SafetensorsDType::kI32, {1}, x}}),
            "two tensors have the name 'w'");
  EXPECT_EQ(error({{"__metadata__", SafetensorsDType::kF32, {1}, x}}),
            "tensor '__metadata__' has the name that is kept for metadata");
  EXPECT_EQ(error({{std::string("w\0", 2), SafetensorsDType::kF32, {1}, x}}),
            "tensor 'w\\x00' has a NUL byte in its name");
  EXPECT_EQ(error({{"w", SafetensorsDType::kF32, {-1}, x}}), "tensor 'w' has a dimension of -1");
  EXPECT_EQ(error({{"w", SafetensorsDType::kF32, std::vector<int64_t>(65, 1), x}}),
            "tensor 'w' has 65 dimensions; at most 64 are allowed");
  EXPECT_THAT(error({{"\xff", SafetensorsDType::kF32, {1}, x}}), HasSubstr("UTF-8"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace lemma::nn
