"""The views of the page Sentence Vectors."""
