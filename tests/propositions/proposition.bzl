"""A proposition's target: a test with its statement."""

load("@rules_cc//cc:defs.bzl", "cc_test")

def proposition_test(name, deps = [], **kwargs):
    """A cc_test of NAME.cc that states one proposition.

    Args:
      name: what it states, ended by _test.
      deps: what its source includes, beyond the library of propositions.
      **kwargs: passed to cc_test.
    """
    cc_test(
        name = name,
        size = "small",
        srcs = [name + ".cc"],
        visibility = ["//tests/propositions:__pkg__"],
        deps = deps + [
            "//tests/propositions:proposition",
            "//tests/propositions:proposition_main",
            "@com_google_googletest//:gtest",
        ],
        **kwargs
    )
