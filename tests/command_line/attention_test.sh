#!/bin/bash
# attention as a user runs it.
set -u

attention=$PWD/$1
train=$PWD/$2
source "${BASH_SOURCE[0]%/*}/testing.sh"

has_gnuplot=true
command -v gnuplot >/dev/null || {
  has_gnuplot=false
  echo 'skipped: pictures, since gnuplot is not installed'
}

# Expects that the last run drew the picture, which begins with the bytes.
expect_picture() {
  expect 0 "$1"
  [[ $(head -c ${#2} "$1") == "$2" ]] || fail "$1 does not begin with $2: $(head -c 60 "$1")"
}

printf 'abcabdabeabc%.0s' {1..40} >letters
run "$train" --dataset=text:letters --layers=2 --width=16 --heads=2 --context=8 --steps=4 --eval_every=2 --out=run
run "$train" --dataset=text:letters --layers=1 --width=16 --heads=2 --context=8 --steps=3 --out=run,2

# --- on the terminal ---
run "$attention" --preset=course --init_seed=0 --layer=2 --head=1 --text=$'To be\nor not'
expect 0 'Attention of course, untrained, seed 0 on “To be↵or not”'
expect 0 'layer 2, head 1'
expect 0 'T│██'
expect 0 '↵│'
grep -q 'layer 0' output && fail 'a layer that was not chosen is shown'
run "$attention" --checkpoint=run/checkpoint.safetensors --text=abcabd --scores
expect 0 'Attention of run on'
expect 0 'layer 1, head 1'
expect 0 'prev 0.'
expect 0 'layer head     previous  duplic.  induct.  entropy'
expect 0 'uniform'
run "$attention" --checkpoint=run/checkpoint.safetensors --dataset=text:letters
expect 0 'on the beginning of letters'
run "$attention" --figure=seeds --text='First Citizen:'
expect 0 'seed 4'
run "$attention" --figure=smoothing --bandwidths=1,inf --length=6
expect 0 's = ∞: W_Q = W_K = 0, the running mean'
run "$attention" --figure=layer_norm
expect 0 'LayerNorm'
run "$attention" --metrics=run
expect 0 'Loss of run'

# --- pictures ---
if $has_gnuplot; then
  run "$attention" --checkpoint=run/checkpoint.safetensors --text=abcab --out=heads.png
  expect_picture heads.png $'\x89PNG'
  run "$attention" --figure=seeds --text=$'First Citizen:\n' --out=seeds.svg --keep
  expect_picture seeds.svg '<?xml'
  grep -q '>seed 4<' seeds.svg || fail 'seeds.svg has no panel of seed 4'
  grep -q '>␣<' seeds.svg || fail 'the space is not on the axis'
  grep -q '>↵<' seeds.svg || fail 'the newline is not on the axis'
  cp seeds.svg first.svg
  gnuplot seeds.gp || fail 'the kept program does not run'
  grep -q '>seed 4<' seeds.svg || fail 'the kept program draws something else'
  run "$attention" --figure=smoothing --length=12 --out=smoothing.png --shading=linear
  expect_picture smoothing.png $'\x89PNG'
  run "$attention" --figure=layer_norm --out=layer_norm.svg
  expect_picture layer_norm.svg '<?xml'
  run "$attention" --metrics=run --out=loss.svg
  expect_picture loss.svg '<?xml'
  grep -q '>validation<' loss.svg || fail 'loss.svg has no validation loss'
  cp -r run run3
  run "$attention" --metrics=run,run3 --out=losses.svg
  expect_picture losses.svg '<?xml'
  grep -q '>run3<' losses.svg || fail 'losses.svg does not name run3'
  run "$attention" --metrics=run,2 --out=comma.svg # one folder, whose name has a comma
  grep -q 'Loss of run,2' comma.svg || fail 'a folder with a comma in its name is taken apart'
  # A file is looked for, and put, where the user is, as bazel run tells it.
  mkdir -p elsewhere
  run env BUILD_WORKING_DIRECTORY="$PWD/elsewhere" "$attention" --figure=smoothing --length=9 --bandwidths=2 --out=here.png
  [[ -s elsewhere/here.png ]] || fail '--out is not relative to the folder of the user'
fi
run "$attention" --checkpoint=run/checkpoint.safetensors --text=abcab --out=heads.html
expect_picture heads.html '<!DOCTYPE html>'

# --- what it refuses: one line, status 2, no file ---
mkdir -p refused
refuse() {
  local text=$1
  shift
  run "$attention" "$@"
  expect_refusal "$text"
  [[ -z $(ls -A refused) ]] || fail "a file is left after: $*"
  rm -rf refused/* refused/.[!.]*
}
model=(--checkpoint=run/checkpoint.safetensors --text=abc)
refuse '--layer=2: the model has layers 0 to 1' "${model[@]}" --layer=2 --out=refused/a.png
refuse '--head=2: the model has heads 0 to 1' "${model[@]}" --head=2 --out=refused/a.html
refuse "'z' (U+007A)" --checkpoint=run/checkpoint.safetensors --text=abz --out=refused/a.html
refuse 'U+00E9' --text=$'caf\xc3\xa9' --out=refused/a.html
refuse 'UTF-8' --text=$'a\xff' --out=refused/a.html
refuse 'the text has 9 characters' --checkpoint=run/checkpoint.safetensors --text=abcabcabc --out=refused/a.html
refuse 'context is 8' --checkpoint=run/checkpoint.safetensors --dataset=text:letters --length=9 --out=refused/a.html
refuse 'a figure shows at most 2048' --figure=seeds --text="$(printf 'a%.0s' {1..2049})" --out=refused/a.html
refuse '--text is empty' --text= --out=refused/a.html
refuse 'brings its own model' "${model[@]}" --preset=course --out=refused/a.html
refuse 'no-such-file' --checkpoint=no-such-file --out=refused/a.html
refuse 'letters' --checkpoint=letters --text=abc --out=refused/a.html
refuse '.png, .svg or .html' "${model[@]}" --out=refused/a.jpg
refuse '--out= is empty' "${model[@]}" --out=
refuse '--metrics= is empty' --metrics=
refuse '--checkpoint= is empty' --checkpoint=
mkdir piped && mkfifo piped/metrics.jsonl
refuse 'piped/metrics.jsonl: it is not a file' --metrics=piped
refuse 'refused/none/a.html' "${model[@]}" --out=refused/none/a.html
refuse 'letters/a.html' "${model[@]}" --out=letters/a.html
refuse '--keep is for pictures' "${model[@]}" --keep --out=refused/a.html
refuse 'did you mean seeds' --figure=seed
refuse '--figure=heads' --figure=seeds --preset=course
refuse '--layer is for --figure=heads' --figure=smoothing --layer=0
refuse '--metrics is for --figure=loss' --figure=heads --metrics=run
refuse '--bandwidths is for --figure=smoothing' --figure=seeds --bandwidths=1
refuse "'x' is no number" --figure=smoothing --bandwidths=1,x
refuse "'-1' is no number" --figure=smoothing --bandwidths=-1
refuse '--text means nothing to layer_norm' --figure=layer_norm --text=abc
refuse "can't go with it" --text=abc --dataset=plays
refuse 'needs --metrics=DIR' --figure=loss --out=refused/a.png
refuse 'nowhere' --metrics=nowhere --out=refused/a.png
refuse 'a page shows attention' --metrics=run --out=refused/a.html
refuse '--length must be' --length=0
refuse '--shading' --shading=cubic
refuse 'do not fit one picture' --figure=smoothing --length=700 --bandwidths=1,2,3,4,5,6,7,8,9,1,2,3,4,5,6,7,8,9 --out=refused/a.png
mkdir empty
PATH=$PWD/empty run "$attention" "${model[@]}" --out=refused/a.png
expect_refusal 'gnuplot is missing; install the package gnuplot-nox'
[[ -z $(/bin/ls -A refused) ]] || fail 'a file is left where gnuplot is missing'

run "$attention" --help
expect 0 '--figure'

finish
