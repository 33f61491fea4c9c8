#include "tests/course/golden.h"

#include <openssl/sha.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "autograd/create.h"
#include "autograd/error.h"
#include "datasets/char_tokenizer.h"

namespace lemma {

nlohmann::json ReadTestData(const std::string& name) {
  std::ifstream file("tests/testdata/" + name);
  LEMMA_CHECK(file.good(), "tests/testdata/", name, " is not there");
  return nlohmann::json::parse(file);
}

std::string Sha256Of(const Tensor& x) {
  const std::vector<float> values = x.Detach().ToVector<float>();
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(values.data()), values.size() * sizeof(float),
         digest);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), sizeof(digest)));
}

double Distance(const Tensor& x, const nlohmann::json& golden) {
  const std::vector<float> values = x.Detach().ToVector<float>();
  const double largest = golden.at("absmax").get<double>();
  double sum = 0, sum_of_squares = 0, off = 0;
  for (float value : values) {
    sum += value;
    sum_of_squares += static_cast<double>(value) * value;
  }
  const std::vector<double> first = golden.at("first"), last = golden.at("last");
  for (size_t i = 0; i < first.size(); ++i) off = std::max(off, std::abs(values[i] - first[i]));
  for (size_t i = 0; i < last.size(); ++i) {
    off = std::max(off, std::abs(values[values.size() - last.size() + i] - last[i]));
  }
  // A sum of n entries that are off by at most e is off by at most n e; rounding errors have no
  // common sign, so it is held to sqrt(n) e. The sum of squares likewise, by 2 |x| e.
  const double root = std::sqrt(static_cast<double>(values.size()));
  off = std::max(off, std::abs(sum - golden.at("sum").get<double>()) / root);
  off = std::max(
      off, std::abs(sum_of_squares - golden.at("sumsq").get<double>()) / (2 * root * largest));
  return off / largest;
}

CourseBatch FirstBatch() {
  constexpr char kText[] = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll";
  const std::vector<int64_t> ids = *datasets::CharTokenizer::Course().Encode(kText);
  LEMMA_CHECK(ids.size() == 65);
  return {FromVector(std::vector<int64_t>(ids.begin(), ids.end() - 1), {1, 64}),
          FromVector(std::vector<int64_t>(ids.begin() + 1, ids.end()), {1, 64})};
}

}  // namespace lemma
