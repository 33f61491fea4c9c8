// The main of a learner's program.

#include "tools/grading/child_main.h"

int main(int argc, char** argv) { return lemma::tools::grading::ChildMain(argc, argv); }
