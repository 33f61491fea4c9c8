// Code that is graded in a process of its own.
#ifndef LEMMA_TOOLS_GRADING_PROCESS_EXAMINEE_H_
#define LEMMA_TOOLS_GRADING_PROCESS_EXAMINEE_H_

#include <memory>
#include <stdexcept>
#include <string>

#include "tools/grading/answer.h"
#include "tools/grading/child_process.h"

namespace lemma::tools::grading {

// kThrifty keeps a process from check to check while it answers: for code that is known.
enum class Renewal { kEachCheck, kThrifty };

class NotGradable : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class ProcessExaminee : public Examinee {
 public:
  explicit ProcessExaminee(ChildCommand command, Renewal renewal = Renewal::kEachCheck,
                           const ChildLimits& limits = {});

  // Throws NotGradable where the program cannot be run, std::runtime_error where the machine has no
  // room for a process.
  Answer Ask(const Probe& probe) override;
  void Renew() override;
  void RenewBetweenChecks() override;
  std::string Printed() const override { return printed_; }

 private:
  const ChildCommand command_;
  const Renewal renewal_;
  const ChildLimits limits_;
  std::unique_ptr<ChildProcess> process_;
  bool failed_ = false;  // the last answer
  std::string printed_;  // by the first process that printed
};

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_PROCESS_EXAMINEE_H_
