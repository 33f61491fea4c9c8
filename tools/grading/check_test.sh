#!/usr/bin/env bash
# Grades a program as a test of Bazel's, with the teacher's settings where there are any. Bazel says in
# XML_OUTPUT_FILE where the test cases go.
exec "$1" check "$2" --program="$PWD/$3" --homework="$TEST_TMPDIR" ${4:+--teacher="$PWD/$4"}
