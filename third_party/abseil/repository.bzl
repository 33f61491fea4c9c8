"""@com_google_absl, made of the installed Abseil."""

load("//third_party:system_library.bzl", "copy_headers")
load(":targets.bzl", "ABSEIL_TARGETS")

_PACKAGE = "libabsl-dev"

_ROOT_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//:__subpackages__"])

exports_files(glob(["include/**"]))

cc_library(
    name = "headers",
    textual_hdrs = glob(["include/**/*.h", "include/**/*.inc"]),
    includes = ["include"],
)
"""

_LIBRARY = """
cc_library(
    name = "{name}",
    linkopts = {linkopts},
    deps = {deps},
)
"""

_PACKAGE_BUILD = """\
load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])
"""

_TARGET = """
cc_library(
    name = "{name}",
    hdrs = {hdrs},
    deps = ["//:headers", "//:absl_{pc}"],
)
"""

def _pkgconfig_folder(repository_ctx):
    folders = [path.get_child("pkgconfig") for path in repository_ctx.path("/usr/lib").readdir()]
    found = [path for path in folders if path.get_child("absl_base.pc").exists]
    if not found:
        fail("Abseil's pkg-config files are not there: install %s" % _PACKAGE)
    return found[0]

def _fields(pkgconfig_text):
    """The lines `Key: value` of a pkg-config file as a dict."""
    lines = [line.partition(":") for line in pkgconfig_text.splitlines()]
    return {key: value.strip() for key, colon, value in lines if colon}

def _library(name, pkgconfig_text):
    """The libraries of one pkg-config file; what it requires comes after it on the link line."""
    fields = _fields(pkgconfig_text)
    requires = [r.split("=")[0].strip() for r in fields.get("Requires", "").split(",")]
    return _LIBRARY.format(
        name = name,
        linkopts = [flag for flag in fields["Libs"].split(" ") if flag.startswith("-labsl_")],
        deps = [":" + r for r in requires if r],
    )

def _package(folder, targets):
    """The text of the BUILD of an upstream package."""
    text = _PACKAGE_BUILD
    for name, target in targets.items():
        headers = target.headers or [name + ".h"]
        text += _TARGET.format(
            name = name,
            hdrs = ["//:include/%s/%s" % (folder, header) for header in headers],
            pc = target.pc or name,
        )
    return text

def _abseil_repository_impl(repository_ctx):
    copy_headers(repository_ctx, ["absl"], _PACKAGE)
    build = _ROOT_BUILD
    for path in _pkgconfig_folder(repository_ctx).readdir():
        if path.basename.startswith("absl_") and path.basename.endswith(".pc"):
            build += _library(path.basename[:-len(".pc")], repository_ctx.read(path))
    repository_ctx.file("BUILD", build, executable = False)
    for folder, targets in ABSEIL_TARGETS.items():
        repository_ctx.file(folder + "/BUILD", _package(folder, targets), executable = False)

abseil_repository = repository_rule(
    doc = "Upstream's labels on the installed Abseil, linked as Debian's pkg-config files say.",
    implementation = _abseil_repository_impl,
    local = True,
)
