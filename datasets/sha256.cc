#include "datasets/sha256.h"

#include <openssl/evp.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "autograd/error.h"

namespace lemma::datasets {
namespace {

class Hash {
 public:
  Hash() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
    LEMMA_CHECK(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
  }
  void Add(const void* bytes, size_t size) {
    LEMMA_CHECK(EVP_DigestUpdate(context_.get(), bytes, size) == 1);
  }
  std::string Digits() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    LEMMA_CHECK(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1);
    return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(digest), size));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
};

}  // namespace

std::string Sha256(absl::string_view bytes) {
  Hash hash;
  hash.Add(bytes.data(), bytes.size());
  return hash.Digits();
}

absl::StatusOr<std::string> Sha256OfFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path.c_str(), "rb"), [](std::FILE* f) { return f ? std::fclose(f) : 0; });
  const auto error = [&] {
    return absl::NotFoundError(
        absl::StrCat("cannot read the file '", path, "': ", std::strerror(errno)));
  };
  if (!file) return error();
  Hash hash;
  std::vector<char> piece(1 << 16);
  size_t size;
  while ((size = std::fread(piece.data(), 1, piece.size(), file.get())) > 0) {
    hash.Add(piece.data(), size);
  }
  if (std::ferror(file.get())) return error();
  return hash.Digits();
}

}  // namespace lemma::datasets
