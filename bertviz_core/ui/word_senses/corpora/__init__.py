"""What Word Senses shows of a corpus: a sample as its map, nearest ones in all of it, the shift."""
