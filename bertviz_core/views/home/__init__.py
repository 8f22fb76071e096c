"""The views of Home: one sentence, and what BERT does with it."""
