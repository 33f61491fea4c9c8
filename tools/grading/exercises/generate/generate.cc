#include "generate.h"

namespace homework {

std::vector<int64_t> Generate(const Model& model, const std::vector<int64_t>& prompt, int64_t count,
                              int64_t context, double temperature, Generator& generator) {
  (void)model, (void)prompt, (void)count, (void)context, (void)temperature, (void)generator;
  // TODO: for each new token: crop, model, last position, temperature, softmax, draw, append.
  //       FromVector(window, {1, n}) makes a tensor; p.ToVector<float>() what Multinomial takes.
  throw std::logic_error("TODO: generating is not written yet");
}

}  // namespace homework
