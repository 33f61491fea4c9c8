#include "datasets/load.h"

#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace lemma::datasets {
namespace {

constexpr absl::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

absl::StatusOr<TextDataset> Encode(const DatasetRequest& request, absl::string_view name,
                                   std::string text, std::optional<CharTokenizer> own) {
  if (!request.tokenizer.has_value()) return MakeTextDataset(name, std::move(text), std::move(own));
  if (!own.has_value()) {
    absl::StatusOr<CharTokenizer> alphabet = CharTokenizer::FromText(text);
    if (alphabet.ok()) own = *std::move(alphabet);
  }
  absl::StatusOr<TextDataset> data = MakeTextDataset(name, std::move(text), request.tokenizer);
  if (data.ok() || !own.has_value()) return data;
  return absl::InvalidArgumentError(
      absl::StrCat(data.status().message(), "; ",
                   request.tokenizer->FirstDifference(*own, "the checkpoint", name)));
}

absl::StatusOr<TextDataset> LoadTinyShakespeare(const DatasetRequest& request) {
  const absl::StatusOr<std::string> folder = DataDir(request.data_dir);
  if (!folder.ok()) return folder.status();
  absl::StatusOr<FoundText> found = FindTinyShakespeare(*folder);
  if (absl::IsNotFound(found.status())) {
    if (request.announce) {
      request.announce(absl::StrCat("downloading tiny Shakespeare from ", request.data_url, " to ",
                                    *folder, "/tinyshakespeare"));
    }
    found = DownloadTinyShakespeare(*folder, request.data_url, request.progress,
                                    request.connect_timeout_s);
  }
  if (!found.ok()) return found.status();
  absl::StatusOr<TextDataset> data =
      Encode(request, "tinyshakespeare", std::move(found->text), std::nullopt);
  if (data.ok()) data->origin = found->path;
  return data;
}

absl::StatusOr<TextDataset> LoadPlays(const DatasetRequest& request) {
  Plays plays = MakePlays(request.plays_seed);
  absl::StatusOr<TextDataset> data =
      Encode(request, "plays", std::move(plays.text), CharTokenizer::Course());
  if (!data.ok()) return data;
  data->origin = absl::StrCat("made with seed ", request.plays_seed);
  data->entropy = SourceEntropy{plays.nats_per_character, plays.train_nats_per_character,
                                plays.val_nats_per_character};
  return data;
}

absl::StatusOr<TextDataset> LoadTextFile(const DatasetRequest& request, const std::string& path) {
  if (path.empty()) {
    return absl::InvalidArgumentError("--dataset=text: needs the path of a file, as text:PATH");
  }
  absl::StatusOr<std::string> text = ReadTextFile(path);
  if (!text.ok()) return text.status();
  if (absl::StartsWith(*text, kByteOrderMark)) text->erase(0, kByteOrderMark.size());
  absl::StatusOr<TextDataset> data = Encode(request, request.name, *std::move(text), std::nullopt);
  if (data.ok()) data->origin = path;
  return data;
}

absl::StatusOr<TextDataset> LoadDefault(const DatasetRequest& request) {
  absl::StatusOr<TextDataset> data = LoadTinyShakespeare(request);
  // A text that is there and does not fit the checkpoint's alphabet is not replaced by another.
  if (data.ok() || absl::IsInvalidArgument(data.status())) return data;
  const std::string reason(data.status().message());
  data = LoadPlays(request);
  if (data.ok()) {
    data->note =
        absl::StrCat("using the made-up corpus 'plays' instead of tiny Shakespeare: ", reason);
  }
  return data;
}

absl::StatusOr<TextDataset> LoadByName(const DatasetRequest& request) {
  absl::string_view rest = request.name;
  if (request.name.empty()) return LoadDefault(request);
  if (request.name == "tinyshakespeare") return LoadTinyShakespeare(request);
  if (request.name == "plays") return LoadPlays(request);
  if (absl::ConsumePrefix(&rest, "text:")) return LoadTextFile(request, std::string(rest));
  return absl::InvalidArgumentError(
      absl::StrCat("there is no data set '", request.name,
                   "'; --dataset takes tinyshakespeare, plays or text:PATH"));
}

}  // namespace

absl::StatusOr<TextDataset> Load(const DatasetRequest& request) {
  absl::StatusOr<TextDataset> data = LoadByName(request);
  if (!data.ok() || request.context <= 0) return data;
  if (absl::Status status = CheckContext(*data, request.context); !status.ok()) return status;
  return data;
}

absl::StatusOr<std::string> DataDir(const std::string& data_dir) {
  if (!data_dir.empty()) return data_dir;
  if (std::string dir = Environment("LEMMA_DATA"); !dir.empty()) return dir;
  // The XDG specification wants relative paths ignored.
  if (std::string dir = Environment("XDG_CACHE_HOME"); absl::StartsWith(dir, "/")) {
    return absl::StrCat(dir, "/lemma");
  }
  if (std::string dir = Environment("HOME"); !dir.empty())
    return absl::StrCat(dir, "/.cache/lemma");
  return absl::FailedPreconditionError(
      "there is no data folder: none of LEMMA_DATA, XDG_CACHE_HOME and HOME is set; name one with "
      "--data_dir=DIR");
}

}  // namespace lemma::datasets
