#include "tools/data_flags.h"

#include <cstdint>
#include <string>

#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "datasets/plays.h"
#include "datasets/tiny_shakespeare.h"
#include "tools/paths.h"

ABSL_FLAG(std::string, dataset, "",
          "tinyshakespeare, plays or text:PATH (default: tinyshakespeare where it can be had, else "
          "plays)");
ABSL_FLAG(std::string, data_dir, "",
          "folder of the data sets (default: $LEMMA_DATA, else the user's cache folder)");
ABSL_FLAG(std::string, data_url, lemma::datasets::kTinyShakespeareUrl,
          "where to download tiny Shakespeare from, if it is not in the folder");
ABSL_FLAG(uint64_t, plays_seed, lemma::datasets::kPlaysSeed, "of the corpus plays");

namespace lemma::tools {

FlagGroup DataFlagGroup() { return {"Data", {"dataset", "data_dir", "data_url", "plays_seed"}}; }

datasets::DatasetRequest DataRequestFromFlags() {
  constexpr char kText[] = "text:";
  datasets::DatasetRequest request;
  request.name = absl::GetFlag(FLAGS_dataset);
  if (absl::StartsWith(request.name, kText)) {
    request.name = absl::StrCat(kText, ResolvePath(request.name.substr(sizeof(kText) - 1)));
  }
  request.data_dir = ResolvePath(absl::GetFlag(FLAGS_data_dir));
  request.data_url = absl::GetFlag(FLAGS_data_url);
  request.plays_seed = absl::GetFlag(FLAGS_plays_seed);
  return request;
}

}  // namespace lemma::tools
