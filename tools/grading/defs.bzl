"""Targets of exercises: a learner's, in any workspace, and the exercises' own."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library")

def graded_exercise(name, exercise, srcs, hdrs = [], deps = [], teacher = None, tags = ["manual"], **kwargs):
    """A program that the grader runs, of a learner's code, and a test that grades it.

    In a workspace of a teacher's own:

        load("@lemma//tools/grading:defs.bzl", "graded_exercise")

        graded_exercise(
            name = "causal_attention",
            srcs = ["causal_attention.cc"],
            hdrs = ["causal_attention.h"],
            exercise = "causal_attention",
        )

    `bazel test :causal_attention_test` grades it as a test, with a test case for each check in
    Bazel's XML. Both are manual, so that //... stays green while homework is unfinished.

    Args:
      name: of the program.
      exercise: of `grade list`.
      srcs: the learner's sources.
      hdrs: the exercise's header, beside them.
      deps: what they use besides tools/grading/homework.h.
      teacher: a teacher's settings for the test, as tools/grading/teacher.h shows them.
      tags: of both.
      **kwargs: passed to cc_binary.
    """
    cc_binary(
        name = name,
        srcs = srcs + hdrs,
        # A learner's warning is no error.
        copts = ["-Wno-error"],
        tags = tags,
        deps = deps + [
            Label("//tools/grading:child_program"),
            Label("//tools/grading:homework"),
            Label("//tools/grading/exercises/" + exercise + ":binding"),
        ],
        **kwargs
    )
    grade = str(Label("//tools:grade"))
    settings = [teacher] if teacher else []
    native.sh_test(
        name = name + "_test",
        srcs = [Label("//tools/grading:check_test.sh")],
        args = ["$(rootpath %s)" % grade, exercise] +
               ["$(rootpath %s)" % label for label in [":" + name] + settings],
        data = [":" + name, grade] + settings,
        tags = tags,
    )

def exercise_targets(name, binding_deps = [], exercise_deps = [], specimen_deps = []):
    """The targets of a folder in tools/grading/exercises, by the names of its files.

    `binding` calls the learner's function, `exercise` is the entry of the table, `starter` what the
    learner begins with, `specimens` the solutions of known grade, `prove_test` grades these.

    Args:
      name: of the exercise and of its folder.
      binding_deps: of binding.h and the exercise's header, beyond the common ones.
      exercise_deps: of exercise.cc, beyond those.
      specimen_deps: of specimens.cc, beyond those.
    """
    grader = ["//tools/grading:__subpackages__"]

    # Many small functions, none of them in a hurry.
    copts = ["-O1"]
    cc_library(
        name = "call",
        hdrs = [
            "binding.h",
            name + ".h",
        ],
        deps = binding_deps + [
            "//tools/grading:homework",
            "//tools/grading:values",
        ],
    )
    cc_library(
        name = "binding",
        srcs = ["binding.cc"],
        visibility = ["//visibility:public"],
        deps = [
            ":call",
            "//tools/grading:child_main",
            "//tools/grading:values",
        ],
        alwayslink = True,
    )
    cc_library(
        name = "starter",
        srcs = [
            name + ".cc",
            name + ".h",
        ],
        visibility = grader,
        deps = binding_deps + [
            ":binding",
            "//tools/grading:homework",
        ],
        alwayslink = True,
    )
    cc_library(
        name = "specimens",
        srcs = ["specimens.cc"],
        copts = copts,
        visibility = grader,
        deps = binding_deps + specimen_deps + [
            ":call",
            "//tools/grading:homework",
            "//tools/grading:specimen",
            "//tools/grading:values",
        ],
        alwayslink = True,
    )
    cc_library(
        name = "exercise",
        srcs = ["exercise.cc"],
        copts = copts,
        visibility = grader,
        deps = exercise_deps + [
            "//tools/grading:checks",
            "//tools/grading:draw",
            "//tools/grading:exercise",
            "//tools/grading:homework",
            "//tools/grading/exercises",
        ],
    )
    native.sh_test(
        name = "prove_test",
        srcs = ["//tools/grading:prove_test.sh"],
        args = [name],
        data = ["//tools:grade"],
    )
    for part, ending in [("header", ".h"), ("source", ".cc")]:
        native.filegroup(
            name = "starter_" + part,
            srcs = [name + ending],
            visibility = ["//tools/grading:__pkg__"],
        )
