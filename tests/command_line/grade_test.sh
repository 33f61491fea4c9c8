#!/usr/bin/env bash
# grade, as learners and teachers run it.
grade=$PWD/$1
source "$(dirname "$0")/testing.sh"

# A workspace whose Bazel builds what ./build_status says, and the program that it "built".
mkdir -p workspace/bin/homework/causal_attention
touch workspace/WORKSPACE
cat >bazel <<'END'
#!/usr/bin/env bash
case $1 in
  build) exit "$(cat "$TEST_TMPDIR/build_status")" ;;
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
run "$grade" export leak_test --out=in2.safetensors
expect_refusal 'leak_test needs functions'
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

# A folder of submissions.
mkdir class
cp "$grade" class/ada
cp in.safetensors class/bob.safetensors
run "$grade" class causal_attention class --csv=grades.csv
expect 1 'causal_attention: 0 of 2 passed'
grep -q '"ada",0.000,0,14,"threw in shapes"' grades.csv || fail "no line for ada: $(cat grades.csv)"

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
