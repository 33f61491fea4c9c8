// GoogleTest matchers for gradients.
//
//   EXPECT_THAT([](const Tensor& a, const Tensor& b) { return MatMul(a, b); },
//               PassesGradCheck({a, b}));
//   EXPECT_THAT(f, PassesGradGradCheck({x}, {.eps = 1e-5}));
//
// The function takes the inputs one by one (up to four) or as one std::vector<Tensor>, and returns
// a Tensor or a std::vector<Tensor>. What is checked, and how: autograd/gradcheck.h.
#ifndef LEMMA_AUTOGRAD_GRADCHECK_MATCHERS_H_
#define LEMMA_AUTOGRAD_GRADCHECK_MATCHERS_H_

#include <ostream>
#include <type_traits>
#include <utility>
#include <vector>

#include "autograd/gradcheck.h"
#include "gmock/gmock.h"

namespace lemma {
namespace internal {

inline std::vector<Tensor> AsList(Tensor output) { return {std::move(output)}; }
inline std::vector<Tensor> AsList(std::vector<Tensor> outputs) { return outputs; }

template <typename Fn>
TensorListFunction AsListFunction(const Fn& fn) {
  return [&fn](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    if constexpr (std::is_invocable_v<Fn, std::vector<Tensor>>) {
      return AsList(fn(in));
    } else if constexpr (std::is_invocable_v<Fn, Tensor>) {
      return AsList(fn(in.at(0)));
    } else if constexpr (std::is_invocable_v<Fn, Tensor, Tensor>) {
      return AsList(fn(in.at(0), in.at(1)));
    } else if constexpr (std::is_invocable_v<Fn, Tensor, Tensor, Tensor>) {
      return AsList(fn(in.at(0), in.at(1), in.at(2)));
    } else {
      return AsList(fn(in.at(0), in.at(1), in.at(2), in.at(3)));
    }
  };
}

using GradCheckFunction = GradCheckReport (*)(const TensorListFunction&, const std::vector<Tensor>&,
                                              const GradCheckOptions&);

class GradCheckMatcher {
 public:
  GradCheckMatcher(GradCheckFunction check, const char* order, std::vector<Tensor> inputs,
                   const GradCheckOptions& options)
      : check_(check), order_(order), inputs_(std::move(inputs)), options_(options) {}

  template <typename Fn>
  bool MatchAndExplain(const Fn& fn, ::testing::MatchResultListener* listener) const {
    const GradCheckReport report = check_(AsListFunction(fn), inputs_, options_);
    *listener << report.explanation;
    return report.passed;
  }
  void DescribeTo(std::ostream* os) const {
    *os << "has " << order_ << " gradients that agree with differences";
  }
  void DescribeNegationTo(std::ostream* os) const {
    *os << "has " << order_ << " gradients that do not agree with differences";
  }

 private:
  GradCheckFunction check_;
  const char* order_;
  std::vector<Tensor> inputs_;
  GradCheckOptions options_;
};

}  // namespace internal

// The gradients of a function at these inputs agree with differences.
inline auto PassesGradCheck(std::vector<Tensor> inputs, const GradCheckOptions& options = {}) {
  return ::testing::MakePolymorphicMatcher(
      internal::GradCheckMatcher(&GradCheck, "first-order", std::move(inputs), options));
}

// The gradients of its recorded gradients do too.
inline auto PassesGradGradCheck(std::vector<Tensor> inputs, const GradCheckOptions& options = {}) {
  return ::testing::MakePolymorphicMatcher(
      internal::GradCheckMatcher(&GradGradCheck, "second-order", std::move(inputs), options));
}

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_GRADCHECK_MATCHERS_H_
