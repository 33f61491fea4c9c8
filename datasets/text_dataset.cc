#include "datasets/text_dataset.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "datasets/split.h"

namespace lemma::datasets {

absl::StatusOr<TextDataset> MakeTextDataset(absl::string_view name, std::string text,
                                            std::optional<CharTokenizer> tokenizer) {
  const auto prefixed = [&](const absl::Status& status) {
    return absl::Status(status.code(), absl::StrCat(name, ": ", status.message()));
  };
  if (text.empty()) return absl::InvalidArgumentError(absl::StrCat(name, ": the text is empty"));
  if (!tokenizer.has_value()) {
    absl::StatusOr<CharTokenizer> own = CharTokenizer::FromText(text);
    if (!own.ok()) return prefixed(own.status());
    tokenizer = *std::move(own);
  }
  absl::StatusOr<std::vector<int64_t>> tokens = tokenizer->Encode(text);
  if (!tokens.ok()) return prefixed(tokens.status());
  const auto split = tokens->begin() + TrainCharacters(static_cast<int64_t>(tokens->size()));
  return TextDataset{std::string(name),
                     "",
                     "",
                     std::move(text),
                     *std::move(tokenizer),
                     {tokens->begin(), split},
                     {split, tokens->end()},
                     std::nullopt};
}

absl::Status CheckContext(const TextDataset& data, int64_t context) {
  if (context < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("the context is ", context, " tokens and must be at least 1"));
  }
  for (const auto& [part, tokens] :
       {std::pair{"training", &data.train}, {"validation", &data.val}}) {
    const int64_t size = static_cast<int64_t>(tokens->size());
    if (size > context) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the ", part, " part of ", data.name, " has ", size, " tokens, and a context of ", context,
        " needs at least ", static_cast<uint64_t>(context) + 1,
        "; use a longer text (a tenth of it validates) or a shorter context (--context)"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> ReadTextFile(const std::string& path) {
  const std::string cannot = absl::StrCat("cannot read the text file '", path, "': ");
  const auto error = [&](int code) {
    const std::string text = absl::StrCat(cannot, std::strerror(code));
    return code == ENOENT ? absl::NotFoundError(text) : absl::InvalidArgumentError(text);
  };
  // Opening a pipe without a writer would wait for one.
  const int descriptor = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return error(errno);
  std::FILE* file = fdopen(descriptor, "rb");
  struct stat info;
  int code = fstat(descriptor, &info) == 0 ? 0 : errno;
  if (code == 0 && S_ISDIR(info.st_mode)) code = EISDIR;
  if (code == 0 && !S_ISREG(info.st_mode)) {
    std::fclose(file);
    return absl::InvalidArgumentError(
        absl::StrCat(cannot, "it is a ", S_ISFIFO(info.st_mode) ? "pipe" : "device",
                     ", and a text is read more than once; write it to a file first"));
  }
  std::string text, piece(1 << 16, '\0');
  size_t size;
  while (code == 0 && (size = std::fread(piece.data(), 1, piece.size(), file)) > 0) {
    text.append(piece, 0, size);
  }
  if (code == 0 && std::ferror(file)) code = errno;
  std::fclose(file);
  if (code != 0) return error(code);
  return text;
}

}  // namespace lemma::datasets
