"""How far apart two groups of a word's occurrences are: two periods, two corpora."""
