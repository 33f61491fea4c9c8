#!/usr/bin/env bash
# bazelw installs exactly what is missing, says what it cannot do, and passes its arguments on. The
# commands that it uses are replaced by recorders, on a PATH that holds nothing else.
set -euo pipefail

readonly BAZELW=$PWD/bazelw
readonly WORK=$TEST_TMPDIR/bazelw
readonly CLONE="$WORK/it's a clone"
failures=0
unset DEBIAN_FRONTEND

# fake NAME: puts a command on the PATH whose script is read from stdin.
fake() {
  { printf '#!%s\n' "$BASH" && cat; } >"$WORK/bin/$1"
  chmod +x "$WORK/bin/$1"
}

# A machine on which all packages are installed and the caller is root.
set_up() {
  rm -rf "$WORK"
  mkdir -p "$WORK/bin" "$CLONE/folder" "$WORK/her folder's name"
  cp -L "$BAZELW" "$CLONE/bazelw"
  local tool
  for tool in bash cat dirname env readlink tail; do
    ln -s "$(type -P "$tool")" "$WORK/bin/$tool"
  done
  : >"$WORK/absent"
  fake id <<<'echo 0'
  fake uname <<<'echo x86_64'
  fake dpkg-query <<END
shift 2
for package; do
  [[ " \$(cat '$WORK/absent') " == *" \$package "* ]] || echo "\$package installed"
done
[[ ! -s '$WORK/absent' ]]
END
  fake apt-get <<END
echo "apt-get \$* frontend=\$DEBIAN_FRONTEND" >>'$WORK/log'
read -r line && echo "apt-get read stdin" >>'$WORK/log'
exit 0
END
  fake bazel <<END
printf 'bazel in %s:' "\$PWD" >>'$WORK/log'
printf ' [%s]' "\$@" >>'$WORK/log'
printf '\n' >>'$WORK/log'
exit 3
END
}

# Runs bazelw in a folder; its exit code, stderr and calls are then in $status, $errors and $calls.
run_in() {
  local folder=$1
  shift
  status=0
  (cd "$folder" && PATH=$WORK/bin bash "$CLONE/bazelw" "$@") \
    <<<'input' >"$WORK/out" 2>"$WORK/err" || status=$?
  errors=$(<"$WORK/err")
  calls=$(cat "$WORK/log" 2>/dev/null || true)
}

# expect WHAT GOT PATTERN: GOT must match the glob PATTERN.
expect() {
  # shellcheck disable=SC2053
  [[ $2 == $3 ]] && return
  printf '[  FAILED  ] %s: %s is\n  %s\nexpected\n  %s\n' "$case" "$1" "$2" "$3"
  failures=$((failures + 1))
}

readonly APT='apt-get -y -o DPkg::Lock::Timeout=300'
readonly INSTALL="$APT install --no-install-recommends"

case="nothing missing: nothing is said or installed, and bazel's exit code comes back"
set_up
run_in "$CLONE" test //...
expect status "$status" 3
expect stderr "$errors" ''
expect calls "$calls" "bazel in $CLONE: \[test\] \[//...\]"

case="arguments pass through unchanged"
set_up
run_in "$CLONE/folder" run //a:b -- 'two  words' '' '$HOME *' "it's"
expect calls "$calls" \
  "bazel in $CLONE/folder: \[run\] \[//a:b\] \[--\] \[two  words\] \[\] \[\$HOME \*\] \[it's\]"

case="missing, and root: only what is missing is installed, without stdin"
set_up
echo 'g++ zlib1g-dev' >"$WORK/absent"
run_in "$CLONE" info
expect status "$status" 3
expect stderr "$errors" 'bazelw: installing g++ zlib1g-dev'
expect calls "$calls" "$INSTALL g++ zlib1g-dev frontend=noninteractive
bazel in $CLONE: \[info\]"

case="missing, not root, with sudo: apt-get runs under sudo"
set_up
echo 'libssl-dev' >"$WORK/absent"
fake id <<<'echo 1000'
fake sudo <<END
echo "sudo" >>'$WORK/log'
exec "\$@"
END
run_in "$CLONE" info
expect stderr "$errors" 'bazelw: installing libssl-dev'
expect calls "$calls" "sudo
$INSTALL libssl-dev frontend=noninteractive
bazel in $CLONE: \[info\]"

case="missing, neither root nor sudo: an error that says what to run"
set_up
echo 'libssl-dev' >"$WORK/absent"
fake id <<<'echo 1000'
run_in "$CLONE" info
expect status "$status" 2
expect stderr "$errors" 'bazelw: cannot install libssl-dev: *apt-get install * libssl-dev'
expect calls "$calls" ''

case="nothing missing: neither root nor sudo is needed"
set_up
fake id <<<'echo 1000'
run_in "$CLONE" info
expect calls "$calls" "bazel in $CLONE: \[info\]"

case="not a Debian system: an error that names the packages"
set_up
rm "$WORK/bin/apt-get"
run_in "$CLONE" info
expect status "$status" 2
expect stderr "$errors" 'bazelw: this is not a Debian system *bazel-bootstrap*zlib1g-dev'
expect calls "$calls" ''

case="old package lists: they are updated and the installation is tried again"
set_up
echo 'libssl-dev' >"$WORK/absent"
fake apt-get <<END
echo "apt-get \$*" >>'$WORK/log'
case "\$*" in
  *update*) : >'$WORK/updated' ;;
  *) [[ -e '$WORK/updated' ]] ;;
esac
END
run_in "$CLONE" info
expect status "$status" 3
expect calls "$calls" "$INSTALL libssl-dev
$APT update
$INSTALL libssl-dev
bazel in $CLONE: \[info\]"

case="apt-get fails: its last lines and an error, and bazel does not run"
set_up
echo 'libssl-dev' >"$WORK/absent"
fake apt-get <<'END'
echo 'E: no network'
exit 100
END
run_in "$CLONE" info
expect status "$status" 2
expect stderr "$errors" '*E: no network*could not install libssl-dev*'
expect calls "$calls" ''

case="another machine than x86-64: it is said and tried"
set_up
fake uname <<<'echo riscv64'
run_in "$CLONE" info
expect status "$status" 3
expect stderr "$errors" 'bazelw: riscv64 is not*'
expect calls "$calls" "bazel in $CLONE: \[info\]"

case="from elsewhere: bazel runs in the clone, and a program is told of the caller's folder"
set_up
run_in "$WORK/her folder's name" --batch run //a:b -- 'x y'
expect calls "$calls" "bazel in $CLONE: \[--batch\] \[run\] \
\[--run_under=env BUILD_WORKING_DIRECTORY='$WORK/her folder'\\\\''s name'\] \[//a:b\] \[--\] \[x y\]"
rm "$WORK/log"
run_in "$WORK/her folder's name" test //a:b
expect calls "$calls" "bazel in $CLONE: \[test\] \[//a:b\]"

((failures == 0)) || exit 1
echo 'all cases passed'
