// Workloads as Lemma runs them: a job has one prepared and runs units of it.
//
//   absl::StatusOr<std::unique_ptr<Job>> job = MakeJob(task);   // make_job.h
//   (*job)->Run(3);                    // the first calls allocate and create primitives
//   JobTimes times = (*job)->Run(20);
#ifndef LEMMA_TOOLS_BENCH_JOB_H_
#define LEMMA_TOOLS_BENCH_JOB_H_

#include <cstdint>
#include <vector>

namespace lemma::tools::bench {

struct JobTimes {
  std::vector<double> unit_ms = {};  // of each unit, or means over groups of very short ones
  double loss = 0;                   // of the last step, of kTrain
};

class Job {
 public:
  virtual ~Job() = default;
  virtual JobTimes Run(int64_t units) = 0;
  virtual int64_t parameters() const { return 0; }
};

}  // namespace lemma::tools::bench

#endif  // LEMMA_TOOLS_BENCH_JOB_H_
