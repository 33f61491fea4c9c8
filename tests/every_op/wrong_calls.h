// Calls that ops must refuse.
#ifndef LEMMA_TESTS_EVERY_OP_WRONG_CALLS_H_
#define LEMMA_TESTS_EVERY_OP_WRONG_CALLS_H_

#include <functional>
#include <string>
#include <vector>

namespace lemma::every_op {

struct WrongCall {
  std::string op;    // as in the registry
  std::string code;  // the call itself
  std::function<void()> call;
};

// At least one for each op. What they say is in errors.txt, in the same order.
std::vector<WrongCall> WrongCalls();

}  // namespace lemma::every_op

#endif  // LEMMA_TESTS_EVERY_OP_WRONG_CALLS_H_
