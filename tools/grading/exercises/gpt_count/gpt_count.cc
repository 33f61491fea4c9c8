#include "gpt_count.h"

namespace homework {

int64_t CountParameters(const GptSizes& sizes) {
  (void)sizes;
  // TODO: a sum of products.
  throw std::logic_error("TODO: the count is not written yet");
}

}  // namespace homework
