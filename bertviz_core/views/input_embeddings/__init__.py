"""The views of the page Input Embeddings."""
