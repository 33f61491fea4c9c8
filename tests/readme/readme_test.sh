#!/bin/bash
# What README shows is what is compiled here, and prints what README says it prints.
set -u

readme=$1
failures=0

fail() {
  echo "FAILED: $1"
  failures=$((failures + 1))
}

# The text between the fences that follow the line "<!-- $1 -->".
block() {
  awk -v mark="<!-- $1 -->" '
    $0 == mark { wanted = 1; next }
    wanted && /^```/ { if (inside) exit; inside = 1; next }
    inside { print }' "$readme"
}

for name in derivative small_net; do
  diff <(block "$name.cc") "$2/$name.cc" || fail "README's $name.cc is not tests/readme/$name.cc"
  diff <(block "$name output") <("$2/$name") || fail "README's output of $name is not its output"
done
((failures == 0))
