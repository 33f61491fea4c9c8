#!/usr/bin/env bash
# grade, where the world around it is not as it should be: each is one line, none is a pass.
grade=$PWD/$1
source "$(dirname "$0")/testing.sh"

mkdir workspace
touch workspace/WORKSPACE
export BUILD_WORKSPACE_DIRECTORY=$PWD/workspace
right='check causal_attention --specimen=fused'

# Files that are none.
mkdir folder
run "$grade" check causal_attention --outputs=folder
expect_refusal 'cannot read folder: Is a directory'
run "$grade" check causal_attention --outputs=nothing.npz
expect_refusal 'cannot read nothing.npz: No such file'
: >empty.npz
run "$grade" check causal_attention --outputs=empty.npz
expect_refusal 'empty.npz: '
run "$grade" $right --teacher=folder
expect_refusal 'cannot read folder'

# Programs that are none.
run "$grade" check causal_attention --program=empty.npz
expect_refusal 'cannot run the program'
run "$grade" check causal_attention --program=folder
expect_refusal 'cannot run the program'
mkfifo pipe && chmod +x pipe
run "$grade" check causal_attention --program=pipe
expect_refusal 'cannot run the program'
printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
run "$grade" check causal_attention --program=script
expect_refusal 'Exec format error'

# A homework folder that cannot be one.
touch file
run "$grade" start causal_attention --homework="$PWD/file"
expect 2 'file'
ln -s "$PWD/gone" dangling
run "$grade" start causal_attention --homework="$PWD/dangling"
expect 2 'dangling'
run "$grade" check causal_attention --homework="$PWD/elsewhere"
expect_refusal 'causal_attention is not started'

# A report that nobody can read is no success.
"$grade" $right >/dev/full 2>output
status=$?
expect_refusal 'standard output cannot be written'
"$grade" list >/dev/full 2>output
status=$?
expect_refusal 'standard output cannot be written'
run "$grade" $right --json=/nowhere/report.json
expect 2 'cannot write /nowhere/report.json'

# What a teacher misspells is refused: it would weigh nothing.
teacher() {
  echo "$1" >teacher.json
  run "$grade" $right --teacher=teacher.json
}
teacher '{"weights": {"causal_atention": {"values": 1}}}'
expect_refusal 'there is no exercise causal_atention'
teacher '{"weights": {"causal_attention": {"value": 1}}}'
expect_refusal 'causal_attention has no check value ('
teacher '{"weights": {"causal_attention": {"values": -1}}}'
expect_refusal 'must be a number from 0 on'
teacher '{"hints": 65536}'
expect 0 'passed'
teacher '{"weights": {"model": {"gradient": 2}}}'
expect 0 'passed'
teacher '[['
expect_refusal 'not a JSON object'

# Words may stand behind flags. The last of two flags counts.
run "$grade" --detail verdict check --specimen=fused causal_attention
expect 0 'passed: 14 of 14 checks'
run "$grade" check causal_attention --detail
expect_refusal '--detail needs a value'
run "$grade" $right --detail=why --detail=verdict
expect 0 'passed: 14 of 14 checks'
run "$grade" check causal_attention --specimen=not_masked --detail=diff --detail=verdict
! grep -q 'distance' output || fail 'the first of two flags counts'

finish
