"""Benchmarks of kernels: a program of their own, and part of //tools/bench."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")

def kernel_benchmark(name, deps):
    """Makes the program NAME from NAME.cc, and the library NAME_cases that //tools/bench links.

    Args:
      name: ends in _benchmark.
      deps: of NAME.cc, without Google Benchmark.
    """
    cc_library(
        name = name + "_cases",
        srcs = [name + ".cc"],
        visibility = ["//tools/bench:__pkg__"],
        deps = deps + ["@com_google_benchmark//:benchmark"],
        # Nothing names what is in it: its cases register themselves.
        alwayslink = True,
    )
    cc_binary(
        name = name,
        tags = ["benchmark"],
        deps = [
            ":" + name + "_cases",
            "@com_google_benchmark//:benchmark_main",
        ],
    )
