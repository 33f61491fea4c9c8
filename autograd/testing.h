// What tests share.
#ifndef LEMMA_AUTOGRAD_TESTING_H_
#define LEMMA_AUTOGRAD_TESTING_H_

#include <string>

#include "autograd/error.h"

namespace lemma {

// The text of the Error that fn() throws; "no error" where it returns.
template <typename Fn>
std::string ErrorOf(Fn fn) {
  try {
    fn();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_TESTING_H_
