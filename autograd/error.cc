#include "autograd/error.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace lemma {
namespace {

thread_local ErrorScope* innermost_scope = nullptr;

}  // namespace

ErrorScope::ErrorScope(const std::string* name) : name_(name), outer_(innermost_scope) {
  innermost_scope = this;
}

ErrorScope::~ErrorScope() { innermost_scope = outer_; }

std::string ErrorScope::Path() {
  std::string path;
  for (const ErrorScope* scope = innermost_scope; scope != nullptr; scope = scope->outer_) {
    if (scope->name_->empty()) continue;
    path = path.empty() ? *scope->name_ : absl::StrCat(*scope->name_, ".", path);
  }
  return path;
}

namespace internal {

void ThrowError(const char* op, const std::string& text) {
  std::string path = ErrorScope::Path();
  if (!path.empty()) path += ": ";
  throw Error(absl::StrCat(path, "[", op, "] ", text));
}

void CheckFailed(const char* file, int line, const char* condition, const std::string& text) {
  std::fprintf(stderr, "%s:%d: a fault of the library itself: '%s' does not hold. %s\n", file, line,
               condition, text.c_str());
  std::abort();
}

}  // namespace internal
}  // namespace lemma
