// SHA-256, as lower-case hexadecimal digits (OpenSSL).
//
//   Sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#ifndef LEMMA_DATASETS_SHA256_H_
#define LEMMA_DATASETS_SHA256_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace lemma::datasets {

std::string Sha256(absl::string_view bytes);

// Of a file, read in pieces; an error if it cannot be read to its end.
absl::StatusOr<std::string> Sha256OfFile(const std::string& path);

}  // namespace lemma::datasets

#endif  // LEMMA_DATASETS_SHA256_H_
