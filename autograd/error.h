// Errors of wrong calls, and checks of the library's own invariants.
//
// A wrong call of an op or a layer throws `lemma::Error`. Its text names the op, the argument, the
// rule that was broken, what was given and, where there is one, the way out:
//
//   [matmul] b: its 6 rows must equal the 8 columns of a; a is (4, 8), b is (6, 3)
//
// What comes from outside the program (files, flags, text) is never reported this way: functions
// that read it return absl::Status. A broken invariant of the library itself aborts: LEMMA_CHECK.
#ifndef LEMMA_AUTOGRAD_ERROR_H_
#define LEMMA_AUTOGRAD_ERROR_H_

#include <stdexcept>
#include <string>

#include "absl/strings/str_cat.h"

namespace lemma {

// A wrong call. what() is the whole sentence.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throws Error with "[op] " and the pieces put together as absl::StrCat does. Inside a module's
// Forward the module's path is put before it ("blocks.2.attn.qkv: [linear] ...").
template <typename... Pieces>
[[noreturn]] void Fail(const char* op, const Pieces&... pieces);

// The path of the module whose Forward runs on this thread, "" outside of one. Kept by modules
// through ErrorScope; read when an Error is made.
class ErrorScope {
 public:
  explicit ErrorScope(const std::string* name);
  ~ErrorScope();
  ErrorScope(const ErrorScope&) = delete;
  ErrorScope& operator=(const ErrorScope&) = delete;

  // Names of the scopes that are open on this thread, outermost first, joined by dots.
  static std::string Path();

 private:
  const std::string* name_;
  ErrorScope* outer_;
};

namespace internal {
[[noreturn]] void ThrowError(const char* op, const std::string& text);
[[noreturn]] void CheckFailed(const char* file, int line, const char* condition,
                              const std::string& text);
}  // namespace internal

template <typename... Pieces>
[[noreturn]] void Fail(const char* op, const Pieces&... pieces) {
  internal::ThrowError(op, absl::StrCat(pieces...));
}

}  // namespace lemma

// Aborts with file, line and condition: for what only a fault of the library itself can break.
#define LEMMA_CHECK(condition, ...)                                                  \
  do {                                                                               \
    if (!(condition)) [[unlikely]] {                                                 \
      ::lemma::internal::CheckFailed(__FILE__, __LINE__, #condition,                 \
                                     ::absl::StrCat("" __VA_OPT__(, ) __VA_ARGS__)); \
    }                                                                                \
  } while (false)

#endif  // LEMMA_AUTOGRAD_ERROR_H_
