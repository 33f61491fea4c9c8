#!/usr/bin/env bash
# The test of a graded exercise writes a test case for each check where Bazel says, whether it passes or not.
set -u
check=$PWD/$1 grade=$2 solved=$3
export XML_OUTPUT_FILE=$TEST_TMPDIR/test.xml

fail() {
  echo "FAILED: $1"
  exit 1
}

expect_in_xml() { grep -q -- "$1" "$XML_OUTPUT_FILE" || fail "no $1 in $(cat "$XML_OUTPUT_FILE")"; }

"$check" "$grade" causal_attention "$solved" || fail "the solved exercise ends with $?"
expect_in_xml '<testsuite name="causal_attention" tests="14" failures="0" skipped="0">'
(($(grep -c '<testcase' "$XML_OUTPUT_FILE") == 14)) || fail 'not a test case for each check'

# The grader itself holds the starters.
"$check" "$grade" causal_attention "$grade"
(($? == 1)) || fail 'the starter passes'
expect_in_xml 'tests="14" failures="1" skipped="13">'
expect_in_xml '<failure message="it threw: TODO: causal attention is not written yet">'

echo '{"detial": "why"}' >"$TEST_TMPDIR/wrong.json"
settings=$(realpath --relative-to=. "$TEST_TMPDIR/wrong.json")
"$check" "$grade" causal_attention "$solved" "$settings" 2>&1 | grep -q 'there is no setting detial' ||
  fail 'a misspelt setting is not refused'
echo 'all passed'
