#include "nn/safetensors.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "nn/atomic_file.h"

namespace lemma::nn {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie");

constexpr size_t kSizeBytes = 8;  // of the header's size

// What another program's file is, from its first bytes; "" if unknown.
absl::string_view OtherFormat(absl::string_view bytes) {
  if (absl::StartsWith(bytes, "PK\x03\x04")) return "a zip archive, as torch.save writes";
  if (absl::StartsWith(bytes, "GGUF")) return "a GGUF file";
  if (absl::StartsWith(bytes, "\x93NUMPY")) return "a NumPy array";
  if (absl::StartsWith(bytes, "\x89HDF")) return "an HDF5 file";
  if (absl::StartsWith(bytes, "\x80\x02")) return "a Python pickle, as old torch.save wrote";
  if (absl::StartsWith(bytes, "version https://git-lfs")) {
    return "a Git LFS pointer in place of the file (git lfs pull fetches it)";
  }
  return "";
}

absl::Status CheckBooleans(const SafetensorsEntry& entry) {
  const auto bad = std::find_if(entry.bytes.begin(), entry.bytes.end(),
                                [](char byte) { return byte != 0 && byte != 1; });
  if (bad == entry.bytes.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("tensor ", QuoteForMessage(entry.name), " of dtype BOOL has a byte ",
                   static_cast<int>(static_cast<unsigned char>(*bad)), " at its position ",
                   bad - entry.bytes.begin(), "; only 0 and 1 are booleans"));
}

absl::Status ErrnoStatus(int error, const std::string& path) {
  return absl::Status(absl::ErrnoToStatusCode(error),
                      absl::StrCat("cannot read ", path, ": ", strerror(error)));
}

absl::Status InFile(const std::string& path, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("cannot read ", path, ": ", status.message()));
}

// Bytes of a whole file; unmapped with the last copy of `memory`.
struct Mapping {
  absl::string_view bytes;
  std::shared_ptr<const void> memory;
};

absl::StatusOr<Mapping> MapDescriptor(int descriptor, const std::string& path) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) return ErrnoStatus(errno, path);
  if (S_ISDIR(info.st_mode)) {
    return absl::InvalidArgumentError(absl::StrCat("cannot read ", path, ": it is a folder"));
  }
  if (!S_ISREG(info.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot read ", path, ": it is a device or a pipe, not a file"));
  }
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return Mapping{};
  void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return ErrnoStatus(errno, path);
  return Mapping{absl::string_view(static_cast<const char*>(address), size),
                 std::shared_ptr<const void>(
                     address, [size](const void* a) { munmap(const_cast<void*>(a), size); })};
}

absl::StatusOr<Mapping> MapFile(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return ErrnoStatus(errno, path);
  absl::StatusOr<Mapping> mapping = MapDescriptor(descriptor, path);
  close(descriptor);
  return mapping;
}

// The JSON of the file, or why its first bytes cannot be a header's size.
absl::StatusOr<absl::string_view> HeaderJson(absl::string_view bytes) {
  uint64_t size = 0;
  std::string why;
  if (bytes.size() < kSizeBytes) {
    why = absl::StrCat("it has ", bytes.size(),
                       " bytes, too few for a safetensors file, which begins with 8 bytes of size");
  } else {
    std::memcpy(&size, bytes.data(), kSizeBytes);
    const uint64_t rest = bytes.size() - kSizeBytes;
    if (size > kMaxSafetensorsHeaderBytes) {
      why = absl::StrCat("it promises a header of ", size, " bytes, more than the format's ",
                         kMaxSafetensorsHeaderBytes, "; is it a safetensors file?");
    } else if (size > rest) {
      why = absl::StrCat("it promises a header of ", size, " bytes and has only ", rest,
                         ": it is cut short");
    }
  }
  if (why.empty()) return bytes.substr(kSizeBytes, size);
  const absl::string_view other = OtherFormat(bytes);
  if (!other.empty()) why = absl::StrCat("it is ", other, ", not a safetensors file");
  return absl::InvalidArgumentError(why);
}

}  // namespace

absl::StatusOr<SafetensorsFile> SafetensorsFile::Open(const std::string& path) {
  if (path.empty()) return absl::InvalidArgumentError("the path is empty; name a file to read");
  absl::StatusOr<Mapping> mapping = MapFile(path);
  if (!mapping.ok()) return mapping.status();
  absl::StatusOr<SafetensorsFile> file = Read(mapping->bytes, std::move(mapping->memory));
  if (!file.ok()) return InFile(path, file.status());
  return file;
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::Parse(std::string bytes) {
  auto memory = std::make_shared<const std::string>(std::move(bytes));
  const absl::string_view view = *memory;
  return Read(view, std::move(memory));
}

absl::StatusOr<SafetensorsFile> SafetensorsFile::Read(absl::string_view bytes,
                                                      std::shared_ptr<const void> memory) {
  absl::StatusOr<absl::string_view> json = HeaderJson(bytes);
  if (!json.ok()) return json.status();
  const absl::string_view buffer = bytes.substr(kSizeBytes + json->size());
  absl::StatusOr<SafetensorsHeader> header = ParseSafetensorsHeader(*json, buffer.size());
  if (!header.ok()) return header.status();

  auto contents = std::make_shared<Contents>();
  contents->memory = std::move(memory);
  contents->metadata = std::move(header->metadata);
  for (SafetensorsPlace& place : header->places) {
    SafetensorsEntry entry{std::move(place.name), place.dtype, std::move(place.shape),
                           buffer.substr(place.begin, place.end - place.begin)};
    if (entry.dtype == SafetensorsDType::kBool) {
      if (absl::Status status = CheckBooleans(entry); !status.ok()) return status;
    }
    contents->entries.push_back(std::move(entry));
  }
  std::sort(contents->entries.begin(), contents->entries.end(),
            [](const SafetensorsEntry& a, const SafetensorsEntry& b) { return a.name < b.name; });
  SafetensorsFile file;
  file.contents_ = std::move(contents);
  return file;
}

const SafetensorsEntry* SafetensorsFile::Find(absl::string_view name) const {
  const auto found = std::lower_bound(
      entries().begin(), entries().end(), name,
      [](const SafetensorsEntry& entry, absl::string_view wanted) { return entry.name < wanted; });
  return found != entries().end() && found->name == name ? &*found : nullptr;
}

absl::Status WriteSafetensors(const std::string& path, absl::Span<const SafetensorsTensor> tensors,
                              const std::map<std::string, std::string>& metadata) {
  std::vector<const SafetensorsTensor*> order;
  for (const SafetensorsTensor& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const SafetensorsTensor* a, const SafetensorsTensor* b) {
    return a->dtype != b->dtype ? a->dtype > b->dtype : a->name < b->name;
  });

  SafetensorsHeader header;
  header.metadata = metadata;
  uint64_t end = 0;
  std::vector<absl::string_view> names;
  for (const SafetensorsTensor* tensor : order) {
    if (absl::Status status = CheckSafetensorsName(tensor->name); !status.ok()) return status;
    if (tensor->shape.size() > kMaxSafetensorsRank) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", QuoteForMessage(tensor->name), " has ", tensor->shape.size(),
                       " dimensions; at most ", kMaxSafetensorsRank, " are allowed"));
    }
    absl::StatusOr<uint64_t> bytes = SafetensorsBytes(tensor->name, tensor->dtype, tensor->shape);
    if (!bytes.ok()) return bytes.status();
    header.places.push_back({tensor->name, tensor->dtype, tensor->shape, end, end + *bytes});
    end += *bytes;
    names.push_back(tensor->name);
  }
  std::sort(names.begin(), names.end());
  if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
    return absl::InvalidArgumentError(
        absl::StrCat("two tensors have the name ", QuoteForMessage(*twice)));
  }

  absl::StatusOr<std::string> head = FormatSafetensorsHeader(header);
  if (!head.ok()) return head.status();
  absl::StatusOr<AtomicFile> file = AtomicFile::Open(path);
  if (!file.ok()) return file.status();
  if (absl::Status status = file->Append(*head); !status.ok()) return status;
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t bytes = header.places[i].end - header.places[i].begin;
    const absl::string_view data(static_cast<const char*>(order[i]->data), bytes);
    if (absl::Status status = file->Append(data); !status.ok()) return status;
  }
  return file->Commit();
}

}  // namespace lemma::nn
