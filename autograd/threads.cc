#include "autograd/threads.h"

#include "autograd/error.h"
#include "autograd/kernels/parallel.h"

namespace lemma {

int NumThreads() { return kernels::NumThreads(); }

void SetNumThreads(int threads) {
  if (threads < 1) Fail("threads", "there must be at least 1; ", threads, " were asked for");
  kernels::SetNumThreads(threads);
}

}  // namespace lemma
