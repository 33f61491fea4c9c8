// The number of threads that ops use.
#ifndef LEMMA_AUTOGRAD_THREADS_H_
#define LEMMA_AUTOGRAD_THREADS_H_

namespace lemma {

// Threads that take part in one op, the caller included. At first OMP_NUM_THREADS where it is a
// number, else the physical cores that the process may use by its affinity, no more than its
// cgroup's quota. Results have the same bits for any number.
int NumThreads();

// Changes it for the whole process; at least 1.
void SetNumThreads(int threads);

}  // namespace lemma

#endif  // LEMMA_AUTOGRAD_THREADS_H_
