"""BERT's embedding layer, part by part, without torch."""

from bertviz_core.embeddings.embedding_layer import InputEmbeddings, input_embeddings

__all__ = ["InputEmbeddings", "input_embeddings"]
