"""Readers of outside bytes, tried with a corpus of files and with libFuzzer."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def fuzz_target(name, srcs, corpus, deps):
    """A fuzzer, and a test that gives its corpus to the same function.

    `NAME_test` gives it the corpus and runs with any compiler. NAME searches for new inputs:

        bazel run --config=fuzz //nn:safetensors_fuzzer -- -max_total_time=600 FOLDER

    What it finds becomes a file of the corpus, under a name that says what is wrong with it.

    Args:
      name: of the fuzzer: what it tries, and _fuzzer.
      srcs: with LLVMFuzzerTestOneInput, which aborts where something that must hold does not.
      corpus: the files, each a few hundred bytes.
      deps: of the sources.
    """
    cc_library(
        name = name + "_function",
        testonly = True,
        srcs = srcs,
        deps = deps,
        alwayslink = True,
    )
    cc_binary(
        name = name,
        testonly = True,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = [":" + name + "_function"],
    )
    native.filegroup(
        name = name + "_corpus",
        testonly = True,
        srcs = corpus,
    )
    cc_test(
        name = name + "_test",
        args = ["$(rootpaths :%s_corpus)" % name],
        data = [":%s_corpus" % name],
        deps = [
            ":" + name + "_function",
            "//tests/fuzz:corpus_main",
        ],
    )
