// The flags that choose a text: --dataset, --data_dir, --data_url.
#ifndef LEMMA_TOOLS_DATA_FLAGS_H_
#define LEMMA_TOOLS_DATA_FLAGS_H_

#include "datasets/load.h"
#include "tools/flags.h"

namespace lemma::tools {

FlagGroup DataFlagGroup();

// The request that the flags make, paths made absolute.
datasets::DatasetRequest DataRequestFromFlags();

}  // namespace lemma::tools

#endif  // LEMMA_TOOLS_DATA_FLAGS_H_
