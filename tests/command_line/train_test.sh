#!/bin/bash
# train as a user runs it: what it leaves, how it resumes, what it refuses.
set -u

train=$PWD/$1
sample=$PWD/$2
source "${BASH_SOURCE[0]%/*}/testing.sh"

# A text of 4,000 characters and a model that is small enough to train in no time.
for i in {1..80}; do echo "line $i: the quick brown fox jumps over the dog"; done >text
small=(--dataset=text:text --layers=1 --width=16 --heads=2 --context=8 --batch_size=4
  --eval_every=5 --eval_batches=2 --warmup=2 --dropout=0.1 --decay_steps=20)

# --- a run and what it leaves ---
run "$train" "${small[@]}" --steps=20 --out=whole
expect 0 'validation loss'
expect 0 'peak memory'
expect 0 'the run is in whole'
for file in checkpoint.safetensors metrics.jsonl sample.txt loss.svg; do
  [[ -s whole/$file ]] || fail "whole/$file is missing"
done
[[ $(grep -c '"loss"' whole/metrics.jsonl) == 20 ]] || fail 'metrics.jsonl has not 20 steps'
[[ -z $(ls -A whole | grep -v -e '^checkpoint.safetensors$' -e '^metrics.jsonl$' \
  -e '^sample.txt$' -e '^loss.svg$') ]] || fail "whole holds more: $(ls -A whole)"

# --- runs/PRESET-N in the caller's folder ---
run "$train" "${small[@]}" --steps=1
expect 0 'the run is in runs/course-1'
run "$train" "${small[@]}" --steps=1 --lr=1e-5 # where the rate ends comes down with it
expect 0 'the run is in runs/course-2'

# --- initial values that do not suit a tied head are told ---
run "$train" "${small[@]}" --tied_head --steps=1 --out=tied
expect 0 '--init=gpt2 starts near log V'
run "$train" "${small[@]}" --tied_head --init=gpt2 --steps=1 --out=tied_gpt2
grep -q 'log V' output && fail 'the advice came without need'

# --- a resumed run ends with the same bits ---
run "$train" "${small[@]}" --steps=10 --out=parts
expect 0 'the run is in parts'
run "$train" --resume=parts --steps=20
expect 0 'resumed after step 10'
cmp whole/checkpoint.safetensors parts/checkpoint.safetensors || fail 'a resumed run differs'
[[ $(grep -c '"loss"' parts/metrics.jsonl) == 20 ]] || fail 'resumed metrics have not 20 steps'

# --- and so does one that was stopped by Ctrl-C ---
set -m # without job control a background process ignores Ctrl-C
"$train" "${small[@]}" --decay_steps=40000 --steps=40000 --checkpoint_every=0 --out=stopped \
  >output 2>&1 &
process=$!
set +m
for i in {1..200}; do grep -q '"loss"' stopped/metrics.jsonl 2>/dev/null && break; sleep 0.05; done
kill -INT $process
wait $process
status=$?
expect 0 'to go on: train --resume=stopped'
last=$(grep '"loss"' stopped/metrics.jsonl | tail -n 1 | sed 's/.*"step":\([0-9]*\).*/\1/')
run "$train" --resume=stopped --steps=$((last + 5))
expect 0 "resumed after step"
run "$train" "${small[@]}" --decay_steps=40000 --steps=$((last + 5)) --checkpoint_every=0 \
  --out=not_stopped
cmp stopped/checkpoint.safetensors not_stopped/checkpoint.safetensors ||
  fail 'a run stopped by Ctrl-C differs'

# --- a step of very many passes is dropped at Ctrl-C, and saved is the step before it ---
many=("${small[@]}" --accumulate=10000000000 --steps=2)

# Starts a run in the background, its process in $process, and waits until it has its folder.
start() {
  set -m
  "$train" "$@" >background 2>&1 &
  process=$!
  set +m
  for i in {1..400}; do grep -q '^run ' background 2>/dev/null && return; sleep 0.05; done
  fail "no run began: $(cat background)"
}

# Stops it as Ctrl-C does.
stop() {
  kill -INT $process
  wait $process
  status=$?
  cp background output
}

start "${many[@]}" --out=many
stop
expect 0 'stopped after step 0 and saved; to go on: train --resume=many'
[[ ! -s many/metrics.jsonl ]] || fail 'a dropped step has metrics'

# --- one run in a folder at a time ---
in_use='is in use by another program; wait until it ends, or use another folder'
start --resume=many
run "$train" --resume=many
expect_refusal "many $in_use"
stop
expect 0 'stopped after step 0'
start "${many[@]}" --out=taken
run "$train" "${small[@]}" --steps=1 --out=taken
expect_refusal "taken $in_use"
stop
expect 0 'to go on: train --resume=taken'
rm background

# --- the same bits for any number of threads ---
for threads in 1 2 3; do
  run "$train" "${small[@]}" --steps=5 --threads=$threads --out=threads$threads
  expect 0 "on $threads thread"
  cmp threads1/checkpoint.safetensors threads$threads/checkpoint.safetensors ||
    fail "$threads threads differ"
done

# --- less memory and less precision ---
run "$train" "${small[@]}" --steps=5 --recompute --out=recomputed
expect 0 'the run is in recomputed'
cmp threads1/checkpoint.safetensors recomputed/checkpoint.safetensors || fail '--recompute differs'
run "$train" "${small[@]}" --steps=5 --precision=bf16 --out=bf16
expect 0 'the run is in bf16'
run "$train" --resume=bf16 --steps=7
expect 0 'resumed after step 5'
grep -q 'in float32 instead' output ||
  ! cmp -s threads1/checkpoint.safetensors bf16/checkpoint.safetensors || fail 'bf16 is f32'

# --- weights of another run ---
run "$train" --dataset=text:text --init_from=whole/checkpoint.safetensors --steps=1 \
  --batch_size=2 --out=from
expect 0 'the run is in from'

# --- one batch over and over ---
run "$train" --dataset=plays --steps=50 --overfit_one_batch --out=overfit
expect 0 'the run is in overfit'
first=$(head -n 1 overfit/metrics.jsonl | sed 's/.*"loss":\([0-9.]*\).*/\1/')
last=$(grep '"loss"' overfit/metrics.jsonl | tail -n 1 | sed 's/.*"loss":\([0-9.]*\).*/\1/')
awk "BEGIN { exit !($last < $first / 2) }" || fail "one batch: loss $first, then $last"

# --- a text of the user's own alphabet, without newline and space ---
printf 'abcabdabeabc%.0s' {1..40} >letters
run "$train" --dataset=text:letters --layers=1 --width=16 --heads=2 --context=8 --steps=2 \
  --out=letters_run
expect 0 'the run is in letters_run'

# --- what it refuses: one line, status 2, nothing left behind ---
before=$(ls)
run "$train" --stpes=3
expect_refusal 'unknown flag --stpes; did you mean --steps?'
run "$train" --steps=many
expect_refusal '--steps'
run "$train" --preset=cuorse
expect_refusal 'did you mean course?'
run "$train" --dataset=shakespeare
expect_refusal 'shakespeare'
run "$train" --dataset=text:no_such_file --out=never
expect_refusal 'no_such_file'
printf 'too short' >short
run "$train" --dataset=text:short --out=never
expect_refusal 'has 8 tokens, and a context of 64 needs at least 65'
rm short
run "$train" "${small[@]}" --heads=3 --out=never
expect_refusal 'multiple of heads'
run "$train" "${small[@]}" --lr=-1 --out=never
expect_refusal 'lr must be a finite number from 0 on; it is -1'
run "$train" "${small[@]}" --steps=20 --out=whole
expect_refusal 'holds a run already; go on with it by --resume=whole'
run "$train" --resume=whole --steps=20
expect_refusal 'the run has done 20 of 20 steps'
run "$train" --resume=whole --steps=30 --lr=0.5
expect_refusal 'lr is 0.001 in the run and 0.5 now'
run "$train" --resume=whole --steps=30 --precision=bf16
expect_refusal 'precision is f32 in the run and bf16 now'
run "$train" --precision=f16
expect_refusal '--precision'
run "$train" "${small[@]}" --lr=inf --out=never
expect_refusal 'lr must be a finite number from 0 on; it is inf'
run "$train" "${small[@]}" --batch_size=10000000000 --out=never
expect_refusal 'a step of --batch_size=10000000000 needs at least'
run "$train" "${small[@]}" --batch_size=9223372036854775807 --out=never
expect_refusal 'tokens is too long'
run "$train" --dataset=text:/dev/zero --out=never
expect_refusal 'it is a device'
ln -s loop loop
run "$train" "${small[@]}" --out=loop/x
expect_refusal 'loop'
rm loop
run "$train" "${small[@]}" --out="$(printf 'x%.0s' {1..300})"
expect_refusal 'too long'
run "$train" --resume=nowhere
expect_refusal '--resume=nowhere: there is no such folder'
run "$train" --resume=whole/checkpoint.safetensors
expect_refusal 'whole/checkpoint.safetensors is a file; pass --resume=whole'
for flag in out resume init_from; do
  run "$train" "${small[@]}" --$flag=
  expect_refusal "--$flag= is empty; it takes"
done
run "$train" "${small[@]}" --lr=1e-5 --min_lr=1e-4 --out=never
expect_refusal 'min_lr is 0.0001 and lr 1e-05: pass a smaller --min_lr or a larger --lr'
mkfifo pipe
run timeout 20 "$train" --dataset=text:pipe --out=never
expect_refusal 'it is a pipe'
rm pipe
printf '\x80\x00no utf-8' >bytes
run "$train" --dataset=text:bytes
expect_refusal 'UTF-8'
rm bytes
[[ $(ls) == "$before" ]] || fail "a refused run left something: $(ls)"

# --- checkpoints that are not whole, or something else ---
mkdir cut junk
head -c 5000 whole/checkpoint.safetensors >cut/checkpoint.safetensors
run "$train" --resume=cut --steps=30
expect_refusal 'cut/checkpoint.safetensors'
head -c 4096 /dev/urandom >junk/checkpoint.safetensors
run "$train" --resume=junk --steps=30
expect_refusal 'junk/checkpoint.safetensors'
mkdir broken piped
cp whole/checkpoint.safetensors broken/checkpoint.safetensors
size=$(stat -c %s broken/checkpoint.safetensors)
head -c 4000 /dev/zero | tr '\0' '\377' | # NaNs
  dd of=broken/checkpoint.safetensors bs=1 seek=$((size - 4000)) conv=notrunc status=none
run "$sample" --checkpoint=broken/checkpoint.safetensors
expect_refusal 'broken/checkpoint.safetensors: the parameter '
run "$train" --resume=broken --steps=30
expect_refusal 'broken/checkpoint.safetensors: the parameter '
run "$train" --dataset=text:text --init_from=broken/checkpoint.safetensors --out=never
expect_refusal ' every value must be finite'
cp whole/checkpoint.safetensors piped/checkpoint.safetensors
mkfifo piped/metrics.jsonl
run timeout 20 "$train" --resume=piped --steps=30
expect_refusal 'piped/metrics.jsonl: it is not a file'
run "$train" --dataset=text:letters --init_from=whole/checkpoint.safetensors --out=never
expect_refusal 'the checkpoint'

# --- a full disk at a checkpoint: the old one stays whole ---
cp -r parts full
(ulimit -f 24 && "$train" --resume=full --steps=25) >output 2>&1
status=$?
expect 2 'full/checkpoint.safetensors'
cmp parts/checkpoint.safetensors full/checkpoint.safetensors || fail 'the old checkpoint is gone'
[[ -z $(ls -A full | grep tmp) ]] || fail "a temporary file is left: $(ls -A full)"

# --- one OpenMP runtime ---
runtimes=$(ldd "$train" | grep -cE 'lib(gomp|omp|iomp5)\.so')
[[ $runtimes == 1 ]] || fail "$runtimes OpenMP runtimes are linked"

run "$sample" --checkpoint=whole/checkpoint.safetensors --tokens=20 --prompt='the '
expect 0 'the '

finish
