"""The flags of OpenMP, the same in gcc and clang."""

OPENMP_COPTS = ["-fopenmp"]

OPENMP_LINKOPTS = ["-fopenmp"]
