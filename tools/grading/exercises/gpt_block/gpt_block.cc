#include "gpt_block.h"

namespace homework {

Tensor BlockForward(const BlockParts& parts, const Tensor& x) {
  (void)parts, (void)x;
  // TODO: two lines.
  throw std::logic_error("TODO: the block is not written yet");
}

}  // namespace homework
