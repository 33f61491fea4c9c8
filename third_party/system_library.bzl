"""A repository made of a library that is installed under /usr."""

def copy_headers(repository_ctx, headers, debian_packages):
    """Copies files and folders of /usr/include into the repository's folder `include`.

    Only what belongs to the library is copied: with all of /usr/include on a target's search path
    the C++ library no longer finds the C headers that it wraps. Code sees the copies as system
    headers and so gets no warnings from them. Links would do for that; but for clang a link is the
    file it points to, and what lies in /usr/include is the compiler's own and open to all, so that
    the layering check would let every include pass.

    Args:
      repository_ctx: the context of the repository rule.
      headers: paths below /usr/include; each keeps its last part as its name.
      debian_packages: what to install when a path is missing.
    """
    folders = ["/usr/include"] + [
        str(path)
        for path in repository_ctx.path("/usr/include").readdir()
        if path.basename.endswith("-linux-gnu")
    ]
    repository_ctx.execute(["mkdir", "include"])
    for header in headers:
        places = [folder + "/" + header for folder in folders]
        found = [place for place in places if repository_ctx.path(place).exists]
        if not found:
            fail("/usr/include/%s is not there: install %s" % (header, debian_packages))
        copy = repository_ctx.execute(["cp", "-rL", found[0], "include/"])
        if copy.return_code != 0:
            fail("cannot copy %s: %s" % (found[0], copy.stderr))

def _system_library_impl(repository_ctx):
    copy_headers(repository_ctx, repository_ctx.attr.headers, repository_ctx.attr.debian_packages)
    repository_ctx.symlink(repository_ctx.attr.build_file, "BUILD")

system_library = repository_rule(
    doc = "An installed library: its headers in `include`, its targets in a build file of ours.",
    implementation = _system_library_impl,
    attrs = {
        "build_file": attr.label(mandatory = True, doc = "Becomes the repository's BUILD."),
        "debian_packages": attr.string(mandatory = True, doc = "The packages that hold it."),
        "headers": attr.string_list(mandatory = True, doc = "Paths below /usr/include."),
    },
    local = True,
)
