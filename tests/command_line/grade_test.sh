#!/usr/bin/env bash
# grade, as learners and teachers run it.
grade=$PWD/$1
waits=$PWD/$2
source "$(dirname "$0")/testing.sh"

# A workspace whose Bazel builds what ./build_status says, and the program that it "built". Of a class it
# "builds" all sources but those that say so, and tells of both as Bazel does.
mkdir -p workspace/bin/homework/causal_attention
touch workspace/WORKSPACE
cat >bazel <<END
#!/usr/bin/env bash
grade=$grade
END
cat >>bazel <<'END'
build_class() {
  local events=$1 word name package=homework/.class/causal_attention status=0
  shift
  for word in "$@"; do
    [[ $word == //$package:* ]] || continue
    name=${word##*:}
    if grep -q 'does not build' "$package/$name/causal_attention.cc"; then
      echo "$package/$name/causal_attention.cc:3:1: error: no such thing" >"$TEST_TMPDIR/stderr-$name"
      printf '{"id":{"actionCompleted":{"label":"%s"}},"action":{"stderr":{"uri":"file://%s"}}}\n' \
        "$word" "$TEST_TMPDIR/stderr-$name"
      printf '{"id":{"targetCompleted":{"label":"%s"}},"completed":{}}\n' "$word"
      status=1
    else
      mkdir -p "bin/$package"
      cp "$grade" "bin/$package/$name"
      printf '{"id":{"targetCompleted":{"label":"%s"}},"completed":{"success":true}}\n' "$word"
    fi
  done >"$events"
  exit $status
}
case $1 in
  build)
    for word in "$@"; do
      [[ $word != --build_event_json_file=* ]] || build_class "${word#*=}" "$@"
    done
    exit "$(cat "$TEST_TMPDIR/build_status")"
    ;;
  info) echo "$TEST_TMPDIR/workspace/bin" ;;
esac
END
chmod +x bazel
echo 0 >build_status
export BUILD_WORKSPACE_DIRECTORY=$PWD/workspace
homework=workspace/homework
exercise=$homework/causal_attention
bazel=--bazel=$PWD/bazel

run "$grade" list
expect 0 'causal_attention'
run "$grade" status
expect 0 'causal_attention'

# Start, and start again: what was written stays.
run "$grade" start causal_attention
expect 0 'write causal_attention.cc there'
grep -q 'graded_exercise(' $exercise/BUILD || fail 'BUILD has no graded_exercise'
grep -q 'load("@lemma//tools/grading:defs.bzl"' $exercise/BUILD || fail 'BUILD loads no macro'
grep -q 'TODO 1' $exercise/causal_attention.cc || fail 'the starter has no TODO'
echo '// mine' >>$exercise/causal_attention.cc
run "$grade" start causal_attention
expect 0 'as it was'
grep -q '// mine' $exercise/causal_attention.cc || fail 'start wrote over the source'

# The starter fails: every program of grade holds the starters under the learner's name.
cp "$grade" workspace/bin/homework/causal_attention/causal_attention
run "$grade" check causal_attention "$bazel"
expect 1 'it threw: TODO: causal attention is not written yet'
expect 1 'failed: 0 of 14 checks, 13 not judged'
run "$grade" status
expect 0 '0 of 14 checks, 1 attempts'
run "$grade" explain causal_attention
expect 0 'After attempt 1'

# What cannot be graded ends with 2.
echo 1 >build_status
run "$grade" check causal_attention "$bazel"
expect_refusal 'does not build'
echo 0 >build_status
echo '// changed' >>$exercise/causal_attention.h
run "$grade" check causal_attention "$bazel"
expect_refusal "causal_attention.h is not the exercise's own"
run "$grade" check causal_attention --bazel=/nowhere/bazel
expect_refusal "causal_attention.h is not the exercise's own"
run "$grade" start causal_attention
run "$grade" check causal_attention --program=/nowhere
expect_refusal 'there is no program /nowhere'
run "$grade" check causal_atention
expect_refusal 'did you mean causal_attention?'
run "$grade" chek causal_attention
expect_refusal 'did you mean check?'
run "$grade"
expect_refusal 'it needs a command'
run "$grade" check causal_attention --detail=all
expect_refusal '--detail=all is unknown'
run "$grade" check causal_attention --specimen=fuse
expect_refusal 'did you mean fused?'
run "$grade" explain causal_attention scale/bogus
expect_refusal 'no check and no mistake named scale/bogus'
# A program that is none of ours fails; it does not pass.
run "$grade" check causal_attention --program=/bin/true
expect 1 'exit(0) before it answered'

# Reset keeps the old source.
run "$grade" reset causal_attention
expect 0 'yours is kept as'
grep -q '// mine' $exercise/causal_attention.cc.1 || fail 'reset lost the source'
! grep -q '// mine' $exercise/causal_attention.cc || fail 'reset kept the source in place'

# Hints come one by one, and end.
for hint in 1 2 3; do
  run "$grade" hint causal_attention
  expect 0 "$hint. "
done
expect 0 'no more hints'

# Solutions of known grade.
run "$grade" check causal_attention --specimen=fused --json=report.json
expect 0 'passed: 14 of 14 checks'
grep -q '"passed": true' report.json || fail 'the JSON does not say that it passed'
run "$grade" check causal_attention --specimen=scaled_by_the_width
expect 1 'divides the scores by sqrt(C) = sqrt(12)'
expect 1 'The smallest case that goes wrong'
run "$grade" check causal_attention --specimen=scaled_by_eight_always --json=-
expect 1 '"number": 8.0'
run "$grade" check causal_attention --specimen=leaves_a_thread
expect 1 'it leaves 1 threads running'

# Files in the place of a program: what is exported, and what comes back.
run "$grade" export causal_attention --out=in.safetensors
expect 0 'give back PROBE.out, PROBE.weights'
for name in gpt_block leak_test generate; do
  run "$grade" export $name --out=in2.safetensors
  expect 0 "grade check $name --outputs=FILE"
done
expect 0 'The model is a table (V, V)'
run "$grade" check causal_attention --outputs=in.safetensors
expect 1 'out missing'
echo nonsense >bad.npz
run "$grade" check causal_attention --outputs=bad.npz
expect 2 'bad.npz: '

# The same report for other programs.
run "$grade" check causal_attention --specimen=not_masked --gradescope=results.json --junit=junit.xml \
  --markdown=report.md
expect 1 'does not mask'
grep -q '"max_score"' results.json || fail 'no scores for Gradescope'
grep -q '<testsuite name="causal_attention" tests="14"' junit.xml || fail 'no JUnit test suite'
grep -q '| Agreement: ordinary inputs | failed |' report.md || fail 'no table in the Markdown'

# A folder of submissions: sources, files, programs, and what is none.
mkdir -p class/cy "class/Zoë, D." class/empty_handed
cp "$grade" class/ada
cp in.safetensors class/bob.safetensors
echo 'int x;' | tee class/cy/causal_attention.cc >"class/Zoë, D./causal_attention.cc"
echo 'does not build' >class/dan.cc
touch class/eve.cc
run "$grade" class causal_attention class --csv=grades.csv --picture=class.svg --reports=reports "$bazel"
expect 1 'causal_attention: 0 of 7 passed, 4 failed, 3 could not be graded'
expect 1 'dan: it does not build: causal_attention.cc:3:1: error: no such thing'
expect 1 'empty_handed: empty_handed holds no causal_attention.cc'
expect 1 '#  threw in shapes'
[[ $(wc -l <grades.csv) == 8 ]] || fail "not a line for each: $(cat grades.csv)"
grep -q '^"ada","ada",0.000,0,14,"",threw,' grades.csv || fail "no line for ada: $(cat grades.csv)"
grep -q '^"Zoë, D.","Zoë, D./causal_attention.cc",0.000,0,14,' grades.csv || fail 'no line for Zoë, D.'
grep -q 'threw in shapes' class.svg || fail 'the picture does not show who threw'
grep -q 'it threw: TODO' "reports/Zoë, D..md" || fail 'no report for Zoë, D.'
grep -q 'not graded' reports/dan.md || fail 'no report for dan'
[[ ! -e $homework/.class ]] || fail 'the class is still in the workspace'
mkdir nobody
run "$grade" class causal_attention nobody
expect_refusal 'nobody holds no submissions'
run "$grade" class causal_attention /nowhere
expect_refusal 'cannot read the folder /nowhere'
run "$grade" class causal_attention
expect_refusal 'class needs a folder'
run "$grade" class causal_attention class --picture=class.gif
expect_refusal 'class.gif'

# A signal ends it at once, and what is done stays.
mkdir slow
cp "$grade" slow/a
cp "$waits" slow/b
cp "$grade" slow/c
"$grade" class causal_attention slow --jobs=1 --csv=slow.csv >output 2>&1 &
class=$!
for ((i = 0; i < 200; ++i)); do
  grep -q '^"a"' slow.csv 2>/dev/null && break
  sleep 0.1
done
kill -TERM $class
wait $class
status=$?
expect 143 'stopped: 1 of 3 are graded'
[[ $(wc -l <slow.csv) == 2 ]] || fail "not what was done: $(cat slow.csv)"

# Watching: a check now, one after each change, also after one that does not build, until Ctrl-C.
checks_made() {
  for ((i = 0; i < 200; ++i)); do
    (($(grep -c 'Ctrl-C ends it' watch.log) >= $1)) && return
    sleep 0.1
  done
  fail "no check number $1: $(cat watch.log)"
}
"$grade" watch causal_attention "$bazel" >watch.log 2>&1 &
watcher=$!
checks_made 1
echo '// edited' >>$exercise/causal_attention.cc
checks_made 2
echo 1 >build_status
echo '// broken' >$exercise/new && mv $exercise/new $exercise/causal_attention.cc
checks_made 3
echo 0 >build_status
kill -INT $watcher
wait $watcher
status=$?
mv watch.log output
expect 0 'no longer watching'
expect 0 'does not build'
[[ $(grep -c 'failed: 0 of 14 checks' output) == 2 ]] || fail "not two checks: $(cat output)"
[[ $(tail -n 1 output) == 'no longer watching'* ]] || fail 'the last line is another'
run "$grade" watch leak_test
expect_refusal 'leak_test is not started'

# Levels, and the teacher's cap on them.
run "$grade" check causal_attention --specimen=scaled_by_the_width --detail=where
expect 1 'distance'
! grep -q 'What it is' output || fail 'where tells why'
run "$grade" check causal_attention --specimen=scaled_by_the_width --detail=verdict
! grep -q 'distance' output || fail 'verdict tells where'
echo '{"detail": "why", "hints": 1, "seed": 99}' >$homework/grading.json
run "$grade" check causal_attention --specimen=scaled_by_the_width --detail=diff --json=report.json
expect 1 'What it is'
! grep -q 'smallest case' output || fail 'the cap on detail does not hold'
! grep -q 'witness' report.json || fail 'the cap does not hold for JSON'
run "$grade" check causal_attention --specimen=online_softmax
expect 0 'passed: 14 of 14 checks'
run "$grade" hint causal_attention
! grep -q '^2\.' output || fail 'the cap on hints does not hold'
echo '{"detial": "why"}' >$homework/grading.json
run "$grade" check causal_attention --specimen=fused
expect_refusal 'there is no setting detial'

finish
