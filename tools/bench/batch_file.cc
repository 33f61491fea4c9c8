#include "tools/bench/batch_file.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "autograd/random.h"

namespace lemma::tools::bench {

using datasets::Batch;

absl::Status WriteBatches(const std::string& path, const std::vector<Batch>& batches) {
  std::vector<int32_t> tokens;
  for (const Batch& batch : batches) {
    for (int64_t row = 0; row < batch.rows; ++row) {
      const auto first = batch.inputs.begin() + row * batch.length;
      std::copy(first, first + batch.length, std::back_inserter(tokens));
      tokens.push_back(static_cast<int32_t>(batch.targets[(row + 1) * batch.length - 1]));
    }
  }
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(tokens.data()),
             static_cast<std::streamsize>(tokens.size() * sizeof(int32_t)));
  file.close();
  if (!file) return absl::UnavailableError(absl::StrCat("cannot write the batches to ", path));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Batch>> ReadBatches(const std::string& path, int64_t rows,
                                               int64_t length) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const size_t batch_bytes = static_cast<size_t>(rows * (length + 1)) * sizeof(int32_t);
  if (!file || bytes.empty() || bytes.size() % batch_bytes != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, " has ", bytes.size(), " bytes, which are no batches of ", rows, " x ", length));
  }
  const auto* tokens = reinterpret_cast<const int32_t*>(bytes.data());
  std::vector<Batch> batches(bytes.size() / batch_bytes);
  for (Batch& batch : batches) {
    batch.rows = rows;
    batch.length = length;
    for (int64_t row = 0; row < rows; ++row, tokens += length + 1) {
      batch.inputs.insert(batch.inputs.end(), tokens, tokens + length);
      batch.targets.insert(batch.targets.end(), tokens + 1, tokens + length + 1);
    }
  }
  return batches;
}

std::vector<int64_t> ZipfTokens(int64_t vocab, int64_t count) {
  Generator generator(1337);
  std::vector<double> uniform(static_cast<size_t>(count));
  generator.Uniform(absl::MakeSpan(uniform));
  std::vector<int64_t> tokens;
  tokens.reserve(uniform.size());
  for (const double u : uniform) {
    const double rank = std::pow(static_cast<double>(vocab + 1), u) - 1;
    tokens.push_back(std::min(static_cast<int64_t>(rank), vocab - 1));
  }
  return tokens;
}

}  // namespace lemma::tools::bench
