"""The external repositories of Lemma, all of them made of installed Debian packages.

In another workspace, with Lemma checked out beside it:

    local_repository(name = "lemma", path = "../lemma")

    load("@lemma//third_party:repositories.bzl", "lemma_repositories")

    lemma_repositories()

and in its .bazelrc `build --cxxopt=-std=c++20`. A repository that the workspace has defined before
the call is left as it is.
"""

load("//third_party:rules_cc.bzl", "rules_cc_repository")
load("//third_party:system_library.bzl", "system_library")
load("//third_party/abseil:repository.bzl", "abseil_repository")

def lemma_repositories():
    """Defines every repository that Lemma's BUILD files name."""
    _bazel_repositories()
    _maybe(rules_cc_repository, "rules_cc")
    _maybe(abseil_repository, "com_google_absl")
    _library("com_google_benchmark", "benchmark", ["benchmark"], "libbenchmark-dev")
    _library("com_google_googletest", "googletest", ["gmock", "gtest"], "libgmock-dev libgtest-dev")
    _library("curl", "curl", ["curl"], "libcurl4-openssl-dev")
    _library("eigen", "eigen", ["eigen3/Eigen", "eigen3/unsupported"], "libeigen3-dev")
    _library("highway", "highway", ["hwy"], "libhwy-dev")
    _library("nlohmann_json", "nlohmann_json", ["nlohmann"], "nlohmann-json3-dev")
    _library("onednn", "onednn", [
        "dnnl.h",
        "dnnl.hpp",
        "dnnl_config.h",
        "dnnl_debug.h",
        "dnnl_types.h",
        "dnnl_version.h",
        "oneapi",
    ], "libdnnl-dev")
    _library("openssl", "openssl", ["openssl"], "libssl-dev")
    _library("zlib", "zlib", ["zconf.h", "zlib.h"], "zlib1g-dev")

def _maybe(rule, name, **kwargs):
    if not native.existing_rule(name):
        rule(name = name, **kwargs)

def _library(name, build_file, headers, debian_packages):
    _maybe(
        system_library,
        name,
        build_file = Label("//third_party:%s.BUILD" % build_file),
        headers = headers,
        debian_packages = debian_packages,
    )

def _bazel_repositories():
    # Bazel appends rules of its own to every WORKSPACE, which would fetch these from the network.
    # Only names that are not defined yet are fetched.
    for name, path in {
        "bazel_skylib": "/usr/share/bazel/tools/skylib",
        "platforms": "/usr/share/bazel/platforms",
        "rules_java": "/usr/share/bazel/rules/java",
        "rules_proto": "/usr/share/bazel/rules/proto",
    }.items():
        _maybe(native.local_repository, name, path = path)
    _maybe(_coverage_tools_stub, "remote_coverage_tools")

def _coverage_tools_stub_impl(repository_ctx):
    # Every test rule names this target; it is used by `bazel coverage` alone.
    repository_ctx.file("BUILD", """\
filegroup(
    name = "coverage_report_generator",
    visibility = ["//visibility:public"],
)
""")

_coverage_tools_stub = repository_rule(implementation = _coverage_tools_stub_impl)
