"""A proposition's target: a test with its statement."""

load("@rules_cc//cc:defs.bzl", "cc_test")
load(":list.bzl", "all_proposition_labels")

def proposition_test(name, deps = [], size = "small", **kwargs):
    """A cc_test of NAME.cc that states one proposition, and is listed in list.bzl.

    Args:
      name: what it states, ended by _test.
      deps: what its source includes, beyond the library of propositions.
      size: of the test, as in cc_test.
      **kwargs: passed to cc_test.
    """
    label = "//%s:%s" % (native.package_name(), name)
    if label not in all_proposition_labels():
        fail("%s is not in tests/propositions/list.bzl, so README.md's table would lack it" % label)
    cc_test(
        name = name,
        size = size,
        # Tests run side by side, and results have the same bits for any number of threads.
        env = {"OMP_NUM_THREADS": "1"},
        srcs = [name + ".cc"],
        visibility = ["//tests/propositions:__pkg__"],
        deps = deps + [
            "//tests/propositions:proposition",
            "//tests/propositions:proposition_main",
            "@com_google_googletest//:gtest",
        ],
        **kwargs
    )
