// Time that only grows.
#ifndef LEMMA_TOOLS_BENCH_CLOCK_H_
#define LEMMA_TOOLS_BENCH_CLOCK_H_

#include <chrono>

namespace lemma::tools::bench {

inline double NowSeconds() {
  const auto time = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_CLOCK_H_
