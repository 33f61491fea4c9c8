"""The names of all exercises: folders here."""

EXERCISES = [
    "causal_attention",
    "multi_head_attention",
    "head",
    "expected_shapes",
    "leak_test",
    "layer_norm",
    "gpt_block",
    "gpt_count",
    "cross_entropy",
    "generate",
    "adamw_step",
    "matmul_backward",
    "softmax_backward",
    "layer_norm_backward",
]
