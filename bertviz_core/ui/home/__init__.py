"""What Home opens with: one sentence, and everything that is done with it."""
