#!/bin/bash
# bench as a user runs it, on the smallest workloads and for moments.
set -u

bench=$PWD/$1
source "${BASH_SOURCE[0]%/*}/testing.sh"
export LEMMA_DATA=$TEST_TMPDIR  # plays

quick=(--threads=1 --repeats=1 --seconds=0.01)
run "$bench" "${quick[@]}" --workloads=course-b1,sample-course,add --json=results.json
expect 0 'limits: f32 FMA'
expect 0 'GB/s'
expect 0 'course-b1      Lemma f32'
expect 0 'sample-course  Lemma f32'
expect 0 'add            Lemma f32'
run cat results.json
expect 0 '"peak_f32_gflops":'
expect 0 '"name": "course-b1"'
expect 0 '"threads": 1'
expect 0 'models of characters train on plays'

# Without an environment of peers the system's Python counts; one of them may be there.
run env PATH=/nowhere "$bench" "${quick[@]}" --workloads=add --peers --peers_dir=none
expect 0 'missing: PyTorch: cannot run python3'
expect 0 'missing: JAX: cannot run python3'

run "$bench" --help
expect 0 'gpt2-124m'
run "$bench" --workloads=course-b1,corse-b12
expect_refusal 'did you mean course-b12?'
run "$bench" --workloads=add,
expect_refusal '--workloads=add, has an empty name between its commas'
run "$bench" --workloads=add --json=
expect_refusal '--json= is empty'
for path in no/such/results.json .; do # refused before anything is measured
  run timeout 20 "$bench" --seconds=1000 --workloads=add --json=$path
  expect_refusal "$path"
done
run "$bench" --precision=f16
expect_refusal '--precision=f16 is unknown'
run "$bench" --repeats=0
expect_refusal '--repeats must be at least 1'
run "$bench" --threads=-1
expect_refusal '--threads must be from 0 to 4096'

finish
