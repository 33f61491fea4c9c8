"""The names of all exercises: folders here."""

EXERCISES = [
    "causal_attention",
]
