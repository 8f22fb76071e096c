"""A marked word in its sentence, layer by layer, and why its vector is what it is."""

from bertviz_core.contextual.leans import lean
from bertviz_core.contextual.word_vectors import WordInContext, similarity_by_layer, word_in_context

__all__ = ["WordInContext", "lean", "similarity_by_layer", "word_in_context"]
