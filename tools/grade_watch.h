// `grade watch`: checks whenever the source changes.
#ifndef LEMMA_TOOLS_GRADE_WATCH_H_
#define LEMMA_TOOLS_GRADE_WATCH_H_

#include <string>
#include <vector>

namespace lemma::tools::grading {

// Runs this program with `arguments` now and after every change of `source`, each time in a process
// of its own, so that a build that fails ends that check and not the watch. Ctrl-C ends it; returns
// the exit status.
int WatchSource(const std::string& source, const std::vector<std::string>& arguments);

}  // namespace lemma::tools::grading

#endif  // LEMMA_TOOLS_GRADE_WATCH_H_
