#!/bin/bash
# table.sh, on two small programs in place of propositions: what it writes, and what --check refuses.
set -euo pipefail

readonly TABLE=$PWD/tests/propositions/table.sh
cd "$TEST_TMPDIR"
readonly README=tests/propositions/README.md
export BUILD_WORKSPACE_DIRECTORY=$PWD
mkdir -p tests/propositions

# fake NAME STATEMENT STATUS: a program with this statement; --row ends with this status.
fake() {
  cat >"$1" <<END
#!/bin/bash
case \$1 in
  --machine) echo 'Measured on: a machine; threads: 1.' ;;
  --statement) echo '| $2 | Step 0 | exact | \`//tests/propositions/x:$1\` |' ;;
  --row) echo '| $2 | Step 0 | exact | \`//tests/propositions/x:$1\` | value: \$RANDOM |'; exit $3 ;;
esac
END
  chmod +x "$1"
}

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

check() { "$TABLE" --check '--section=First part' ./one ./two; }
refuses() {
  if check >out 2>&1; then fail "$1 is not noticed"; fi
  grep -q 'out of date' out || fail "$1: no word about it"
}

fake one 'One is a number.' 0
fake two 'Two \\| three are not one.' 0
"$TABLE" '--section=First part' ./one ./two 2>progress
grep -q '\[2/2\] ./two' progress || fail 'no progress is shown'
grep -q '^## First part$' "$README" || fail 'no heading'
check || fail 'a fresh page is refused'
cp "$README" good

sed -i 's/value: [0-9]*/value: other/; s/a machine/another machine/' "$README"
check || fail 'other measurements are refused'

sed -i '/:two` |/d' "$README"
refuses 'a missing row'
cp good "$README"
fake one 'One is an integer.' 0
refuses 'an outdated statement'
fake one 'One is a number.' 0
echo '| Three. | Step 0 | exact | `//tests/propositions/x:three` | 3 |' >>"$README"
refuses 'a row too many'
: >"$README"
refuses 'an empty page'

cp good "$README"
fake two 'Two \\| three are not one.' 1
if "$TABLE" '--section=First part' ./one ./two 2>progress; then fail 'a failing program is no failure'; fi
cmp -s good "$README" || fail 'a failing program changed the page'
[[ ! -e $README.new ]] || fail 'a half-written page is left behind'
echo 'PASSED'
