"""Debian's rules_cc, repaired for Debian's Bazel."""

_RULES_CC = "/usr/share/bazel/rules/cc"

# Debian 12 packages rules_cc 0.0.4 with Bazel 4.2.3, which is older than that release supports: two
# files load `use_cpp_toolchain` from @bazel_tools, where it does not exist yet. In Bazel 4 a rule
# names its toolchain by label, which is what this stand-in returns.
_TOOLCHAIN_UTILS = """\
load("@bazel_tools//tools/cpp:toolchain_utils.bzl", _find_cpp_toolchain = "find_cpp_toolchain")

find_cpp_toolchain = _find_cpp_toolchain

def use_cpp_toolchain():
    return ["@bazel_tools//tools/cpp:toolchain_type"]
"""

_BROKEN_FILES = [
    "cc/private/rules_impl/cc_flags_supplier.bzl",
    "cc/private/rules_impl/compiler_flag.bzl",
]

def _rules_cc_repository_impl(repository_ctx):
    if not repository_ctx.path(_RULES_CC).exists:
        fail("%s is not there: install the Debian package bazel-rules-cc" % _RULES_CC)
    copy = repository_ctx.execute(["cp", "-rL", _RULES_CC + "/.", "."])
    if copy.return_code != 0:
        fail("cannot copy %s: %s" % (_RULES_CC, copy.stderr))
    repository_ctx.file("cc/private/toolchain_utils.bzl", _TOOLCHAIN_UTILS, executable = False)
    for path in _BROKEN_FILES:
        content = repository_ctx.read(path)
        repository_ctx.file(path, content.replace(
            "@bazel_tools//tools/cpp:toolchain_utils.bzl",
            "//cc:private/toolchain_utils.bzl",
        ), executable = False)

rules_cc_repository = repository_rule(
    doc = "A copy of /usr/share/bazel/rules/cc that Bazel 4.2.3 can load.",
    implementation = _rules_cc_repository_impl,
    local = True,
)
