#!/bin/bash
# count as a user runs it.
set -u

count=$PWD/$1
source "${BASH_SOURCE[0]%/*}/testing.sh"

run "$count" --preset=course --expect=816640
expect 0 'embeddings                         16,512  (2.0 %)'
expect 0 'attention                         262,656  (32.2 %)'
expect 0 'MLPs                              526,848  (64.5 %)'
expect 0 'block LayerNorms                    2,048  (0.3 %)'
expect 0 'final LN + unembedding              8,576  (1.1 %)'
expect 0 'total                             816,640'
expect 0 '12 L C^2 rule                     786,432'
expect 0 'actual blocks                     791,552'
expect 0 '5,120 = biases + LayerNorms'
run "$count" --expect=816641
expect 1 'the total is 816,640, expected 816,641'
run "$count" --preset=nanogpt-cpu --expect=804096
expect 0 '804,096'
run "$count" --preset=nanogpt-gpu --expect=10745088
expect 0 '10,745,088'
run "$count" --vocab=11 --context=5 --width=12 --heads=3 --layers=2
expect 0 'total'

run "$count" --shapes
expect 0 'token indices             (1, 64)'
expect 0 'after embedding           (1, 64, 128)'
expect 0 'after block 3             (1, 64, 128)'
expect 0 'after final LayerNorm     (1, 64, 128)'
expect 0 'logits                    (1, 64, 65)'
run "$count" --format=markdown
expect 0 '| attention | 262,656 | 32.2 % |'
run "$count" --format=json --shapes
expect 0 '"total": 816640'

run "$count" --format=xml
expect_refusal 'xml'
run "$count" --width=130
expect_refusal 'multiple of heads'
run "$count" --layers=0
expect_refusal 'layers must be between'
run "$count" --checkpoint=nowhere
expect_refusal 'nowhere'
run "$count" --checkpoint=
expect_refusal '--checkpoint= is empty; it takes the file of a model'

# --- output that cannot be written ---
"$count" 2>output >/dev/full
status=$?
expect_refusal 'the standard output cannot be written'
"$count" --help 2>output >/dev/full
status=$?
expect_refusal 'the standard output cannot be written'

finish
