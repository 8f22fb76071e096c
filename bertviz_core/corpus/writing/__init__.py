"""From found words to the file of a part: their vectors, and the rows as they are stored."""
