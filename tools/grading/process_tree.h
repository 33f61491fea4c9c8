// A process and all that came from it, as /proc tells.
//
// A process can leave its group, its session and its parent. What comes from one that was started
// with SetTreeMark() bears a mark all the same, and once its parents are gone it becomes a child of
// the grader, which has called AdoptOrphans(): so none is lost sight of. Code that means harm can
// take the mark off.
#ifndef LEMMA_TOOLS_GRADING_PROCESS_TREE_H_
#define LEMMA_TOOLS_GRADING_PROCESS_TREE_H_

#include <sys/types.h>

#include <cstdint>

namespace lemma::tools::grading {

// In the grader: from here on, orphans below it become its children.
void AdoptOrphans();
// In the new process, before exec: a system call.
void SetTreeMark();

// Of the process `root`, which runs.
int64_t ResidentBytes(pid_t root);
int ThreadsBesides(pid_t root);
// Processes that came from it and run.
int ProcessesBesides(pid_t root);

// Ends all of the tree of `root`, a child of the caller; `reaped` says that it has been waited for.
void EndTree(pid_t root, bool reaped);

// Processes and threads of the user who runs this, as the limit on processes counts them.
int TasksOfThisUser();

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADING_PROCESS_TREE_H_
