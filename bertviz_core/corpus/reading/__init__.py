"""A corpus, read: its files, their passages, and the words in them."""
