#!/bin/bash
# README.md's table of propositions, from the output of their programs.
#
#   table.sh [--check] --section=HEADING PROGRAM... --section=HEADING PROGRAM...
#
# Runs each program with --row and writes tests/propositions/README.md in the source tree. With
# --check it asks each only for its --statement, and fails where README.md says something else.
set -euo pipefail

# As the tests run: results have the same bits for any number of threads.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}

readonly README=tests/propositions/README.md
readonly COMMAND='./bazelw run //tests/propositions:write_table'

introduction() {
  cat <<END
# The course's propositions

Each statement that the course proves on paper is a test here, named after what it states. Its log shows the measured
quantities beside their bounds, and a companion breaks the layer on purpose to show the same check go red.

\`\`\`
./bazelw test //tests/propositions/...
./bazelw test --test_output=all //tests/propositions/gpt:later_tokens_do_not_change_logits_test
\`\`\`

Steps and numbers are the course's. "Exact" means to the bit, or an exact integer; what holds up to rounding has a bound
that says so; what holds in probability is measured with fixed seeds, so that it does not fail by chance.

The tables are generated: \`$COMMAND\` runs every proposition and writes this page, and
\`//tests/propositions:table_test\` fails when a statement in it is missing, outdated or one too many. tests/propositions/list.bzl
lists the propositions in the order of the tables; set \`LEMMA_DATA\` to a folder that has tiny Shakespeare, or \`plays\`
stands in for it.

END
}

# The rows of a table without the last cell, which depends on the run and the machine.
without_measurements() {
  sed -E -e '/^Measured on/d' -e 's/^(\|.*` \|).*$/\1/'
}

# compose FLAG ARGUMENTS: the page, with the rows that the programs print for the flag.
compose() {
  local flag=$1 argument count=0 total=0
  shift
  for argument in "$@"; do [[ $argument == --section=* ]] || total=$((total + 1)); done
  introduction
  for argument in "$@"; do
    if [[ $argument != --section=* ]]; then "$argument" --machine; break; fi
  done
  for argument in "$@"; do
    if [[ $argument == --section=* ]]; then
      printf '\n## %s\n\n' "${argument#--section=}"
      printf '| statement | source | what is exact | target | measured |\n'
      printf '| --- | --- | --- | --- | --- |\n'
      continue
    fi
    count=$((count + 1))
    if [[ $flag == --row ]]; then printf '[%d/%d] %s\n' "$count" "$total" "$argument" >&2; fi
    "$argument" "$flag" || return 1
  done
}

check() {
  local expected actual
  expected=$(compose --statement "$@" | without_measurements)
  actual=$(without_measurements <"$README")
  if ! diff <(printf '%s\n' "$expected") <(printf '%s\n' "$actual"); then
    echo "$README is out of date (< should be there, > is); write it anew: $COMMAND" >&2
    return 1
  fi
}

write() {
  if [[ -z ${BUILD_WORKSPACE_DIRECTORY:-} ]]; then
    echo "start it with: $COMMAND" >&2
    return 2
  fi
  local target=$BUILD_WORKSPACE_DIRECTORY/$README
  local fresh=$target.new
  trap 'rm -f "'"$fresh"'"' EXIT
  compose --row "$@" >"$fresh"
  mv "$fresh" "$target"
  echo "wrote $README"
}

if [[ ${1:-} == --check ]]; then
  shift
  check "$@"
else
  write "$@"
fi
