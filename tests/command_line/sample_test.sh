#!/bin/bash
# sample as a user runs it.
set -u

sample=$PWD/$1
train=$PWD/$2
source "${BASH_SOURCE[0]%/*}/testing.sh"

# --- the course's untrained sample, the same text as PyTorch's ---
run "$sample" --preset=course --init_seed=1337 --seed=0 --tokens=300
expect 0 "?exhkAU&aNdfIxAlsv;BUMycccu\$BygXdVntwbhVrM h&?j D?R!s-EHWlC!BTg3sihFRCs3.a-c3KypMDWiXWMZRJIRc:sZO;SJU,HRr?-K- mj\$fxts!ZHKLpyPjJRDfWBR'SxIioezEoLgH.k!DSc -'ksC-zFW3u!ZB..SVqHIGVl3xfSp-h\$"
cp output untrained

run "$sample" --preset=course --init_seed=1337 --seed=0 --tokens=100 --window=half
expect 0 '?exhkAU&aNdfIxAlsv;BUMycccu$BygX' # the same up to the context, another text behind it
cmp -s output untrained && fail '--window=half gives the text of --window=crop'

# --- choices ---
run "$sample" --tokens=40 --temperature=0 --seed=1
cp output greedy
run "$sample" --tokens=40 --temperature=0 --seed=2
cmp output greedy || fail 'temperature 0 depends on the seed'
run "$sample" --tokens=40 --top_k=1 --seed=3
cmp output greedy || fail 'top_k=1 is not the most likely character'
run "$sample" --tokens=40 --top_p=0.0001 --seed=4
cmp output greedy || fail 'a tiny top_p is not the most likely character'
run "$sample" --tokens=40 --temperature=1e-300 --seed=5
cmp output greedy || fail 'a tiny temperature is not the most likely character'
run "$sample" --tokens=0 --prompt='ROMEO:'
expect 0 'ROMEO:'
run "$sample" --tokens=300 --init_seed=1337 --stop='&?j'
expect 0 'VrM h'
grep -qF '&?j' output && fail 'the stop text was printed'

# --- a trained model with an alphabet of its own ---
printf 'abcabdabeabc%.0s' {1..40} >letters
run "$train" --dataset=text:letters --layers=1 --width=16 --heads=2 --context=8 --steps=2 --out=run
run "$sample" --checkpoint=run/checkpoint.safetensors --tokens=30
expect 0 'b'
grep -q '[^abcde]' output && fail 'characters that the alphabet does not have'

# --- what it refuses ---
run "$sample" --checkpoint=run/checkpoint.safetensors --prompt='abz'
expect_refusal "'z' (U+007A)"
run "$sample" --prompt=$'caf\xc3\xa9'
expect_refusal 'U+00E9'
run "$sample" --checkpoint=nowhere.safetensors
expect_refusal 'nowhere.safetensors'
run "$sample" --checkpoint=letters
expect_refusal 'letters'
run "$sample" --checkpoint=run/checkpoint.safetensors --preset=course
expect_refusal 'brings its own model'
run "$sample" --checkpoint=
expect_refusal '--checkpoint= is empty; it takes the file of a trained model'
run "$sample" --temperature=-1
expect_refusal '--temperature'
run "$sample" --top_p=0
expect_refusal '--top_p'
run "$sample" --window=quarter
expect_refusal 'half'
run "$sample" --preset=gpt-5
expect_refusal 'gpt2'
run "$sample" extra
expect_refusal 'extra'
run "$sample" --help
expect 0 '--window'

# --- output that cannot be written: the rest is not computed ---
timeout 20 "$sample" --tokens=1000000000 2>output >/dev/full
status=$?
expect_refusal 'the standard output cannot be written'

finish
