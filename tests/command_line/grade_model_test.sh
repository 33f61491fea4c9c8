#!/usr/bin/env bash
# grade model, as teachers and learners run it.
grade=$PWD/$1
train=$PWD/$2
source "$(dirname "$0")/testing.sh"

# A copy of the checkpoint with the texts of its header replaced, each by one as long.
change() {
  cp run/checkpoint.safetensors "$1"
  LC_ALL=C sed -i "$2" "$1"
  ! cmp -s run/checkpoint.safetensors "$1" || fail "nothing changed in $1"
}

# Writes bytes over the start of a tensor: overwrite FILE NAME BYTES.
overwrite() {
  local length begin
  length=$(head -c 8 "$1" | od -An -tu8 | tr -d ' ')
  begin=$(tail -c +9 "$1" | head -c "$length" | grep -ao "\"$2\":{[^}]*}" |
    sed 's/.*"data_offsets":\[\([0-9]*\),.*/\1/')
  printf '%b' "$3" | dd of="$1" bs=1 seek=$((8 + length + begin)) conv=notrunc status=none
}

printf 'abcabdabeabc%.0s' {1..40} >letters
run "$train" --dataset=text:letters --layers=1 --width=16 --heads=2 --context=8 --steps=30 --out=run
expect 0 'the run is in run'

# --- what train wrote passes ---
run "$grade" model --checkpoint=run/checkpoint.safetensors
expect 0 'passed: 9 of 9 checks'
expect 0 '3,552 parameters in 16 tensors (exactly 3,552)'
expect 0 'loss of fresh initial values'
run "$grade" model --checkpoint=run/checkpoint.safetensors --preset=course --vocab=5 --layers=1 \
  --width=16 --heads=2 --context=8
expect 0 'passed: 9 of 9 checks'

# --- parameters that are not right ---
change renamed.safetensors 's/"lnf\.bias"/"lnf.bios"/'
run "$grade" model --checkpoint=renamed.safetensors
expect 1 'lnf.bias (16,) is missing: 16 parameters, 0.5 %;'
expect 1 'lnf.bios (16,) is one too many: 16 parameters, 0.5 %'
expect 1 'not judged because of count'
expect 1 'failed: 0 of 9 checks, 8 not judged'
change turned.safetensors 's/"head\.weight":{"dtype":"F32","shape":\[5,16\]/"head.weight":{"dtype":"F32","shape":[16,5]/'
run "$grade" model --checkpoint=turned.safetensors --json=-
expect 1 'head.weight is (16, 5), not (5, 16): as many parameters'
run "$grade" model --checkpoint=run/checkpoint.safetensors --preset=course
expect 1 '(exactly 816,640)'
expect 1 'tok.weight is (5, 16), not (65, 128): 8,240 parameters fewer, 1.0 %'
expect 1 'and 37 tensors more'
expect 1 'failed: 8 of 9 checks'
run "$grade" model --checkpoint=run/checkpoint.safetensors --vocab=5 --layers=1 --width=16 \
  --heads=4 --context=8
expect 1 'its config has 2 heads where 4 are right'

# --- values that are not right ---
cp run/checkpoint.safetensors nan.safetensors
overwrite nan.safetensors lnf.weight '\0\0\300\177'
run "$grade" model --checkpoint=nan.safetensors
expect 1 'at lnf.weight, element 0 of 16; the value is nan'
expect 1 'not judged because of finite'
change first.safetensors 's/"step":"30"/"step":"00"/; s/"step":"00"/"step":"0" /'
run "$grade" model --checkpoint=first.safetensors --checks=initial_loss
expect 0 'loss of its initial values'
cp run/checkpoint.safetensors large.safetensors
overwrite large.safetensors head.weight "$(printf '\\0\\0\\310B%.0s' {1..40})"
run "$grade" model --checkpoint=large.safetensors --untrained
expect 1 'initial values are too large: logits have standard deviation'
expect 1 'failed: 8 of 9 checks'

# --- a file without a config, as other programs write them ---
change plain.safetensors 's/"config"/"konfig"/'
run "$grade" model --checkpoint=plain.safetensors
expect_refusal 'there is no "config" in its metadata; say by --preset'
run "$grade" model --checkpoint=plain.safetensors --vocab=5 --layers=1 --width=16 --heads=2 --context=8
expect 0 'passed: 9 of 9 checks'

# --- reports ---
run "$grade" model --checkpoint=renamed.safetensors --json=- --gradescope=results.json \
  --junit=junit.xml --markdown=report.md
expect 1 '"id": "count"'
! grep -q 'FAIL' output || fail 'the terminal report stands in the JSON'
grep -q '"output": "not judged because of count"' results.json || fail 'Gradescope: no reason'
grep -q 'tests="9" failures="1" skipped="8"' junit.xml || fail "JUnit: $(head -n 3 junit.xml)"
grep -q '| Parameters: names, shapes and count | failed |' report.md || fail 'Markdown: no table'
run "$grade" model --checkpoint=run/checkpoint.safetensors --checks=causality,cache
expect 0 'passed: 2 of 2 checks'
run "$grade" model --checkpoint=nan.safetensors --checks=finite --detail=verdict
expect 1 'failed: 0 of 1 checks'
! grep -q 'lnf.weight' output || fail 'verdict tells where'
echo '{"seed": 5, "weights": {"model": {"count": 3}}}' >grading.json
run "$grade" model --checkpoint=run/checkpoint.safetensors --teacher=grading.json --json=report.json
expect 0 'passed: 9 of 9 checks'
grep -q '"weight": 3.0' report.json || fail 'the weight of the teacher does not count'

# --- what cannot be judged ---
run "$grade" model
expect_refusal 'grade model --checkpoint=FILE'
run "$grade" model --checkpoint=
expect_refusal '--checkpoint'
run "$grade" model --checkpoint=nowhere.safetensors
expect_refusal 'nowhere.safetensors'
echo 'no tensors here' >bad.safetensors
run "$grade" model --checkpoint=bad.safetensors
expect_refusal 'bad.safetensors'
change huge.safetensors 's/\\"width\\":16/\\"width\\":96/; s/\\"heads\\":2/\\"heads\\":7/'
run "$grade" model --checkpoint=huge.safetensors
expect_refusal 'width must be a multiple of heads'
run "$grade" model --checkpoint=run/checkpoint.safetensors --width=30000 --heads=2
expect_refusal 'a model of its config has'
run "$grade" model --checkpoint=run/checkpoint.safetensors --checks=causalty
expect_refusal 'did you mean causality?'
run "$grade" modle --checkpoint=run/checkpoint.safetensors
expect_refusal 'did you mean model?'

finish
