// A checkpoint under judgement: one that train wrote, or any safetensors file with the same names.
#ifndef LEMMA_TOOLS_GRADING_MODEL_MODEL_FILE_H_
#define LEMMA_TOOLS_GRADING_MODEL_MODEL_FILE_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "models/gpt/config.h"
#include "tools/grading/model/gpt_model.h"
#include "tools/grading/model/model_check.h"

namespace lemma::tools::grading {

struct ModelFile {
  std::unique_ptr<GptModel> model;  // null where the tensors make none
  ModelSubject subject;             // refers to it
};

// Parameters are right where they are those of `asked`, or, where nothing is asked, of the config
// that the file holds. A file without one, such as PyTorch's, needs `asked`. What is judged beyond
// the parameters is the model of the file's own config. `untrained`: the file holds initial values,
// as one of step 0 says of itself. An error says in a line what makes the file unfit to be judged.
absl::StatusOr<ModelFile> LoadModelFile(const std::string& path,
                                        const std::optional<models::GptConfig>& asked,
                                        bool untrained);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_MODEL_MODEL_FILE_H_
