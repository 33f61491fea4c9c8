# Helpers of the command line tests, which run programs as a user does.

failures=0
cd "$TEST_TMPDIR" || exit 1
unset BUILD_WORKING_DIRECTORY

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# Runs a command; its output is in ./output and its exit status in $status.
run() {
  "$@" >output 2>&1
  status=$?
}

# Expects the status of the last run, and a line of its output that holds the text.
expect() {
  [[ $status == "$1" ]] || fail "exit status $status instead of $1 for: $2 ($(tail -n 3 output))"
  grep -qF -- "$2" output || fail "no line says \"$2\"; the output is: $(tail -n 5 output)"
}

# Expects that the last run ended with status 2 and one line, which holds the text.
expect_refusal() {
  expect 2 "$1"
  [[ $(wc -l <output) == 1 ]] || fail "more than one line for \"$1\": $(cat output)"
}

finish() {
  if ((failures > 0)); then
    echo "$failures failed"
    exit 1
  fi
  echo 'all passed'
}
