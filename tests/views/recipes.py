"""What the view "what made this vector?" is given: texts, their vectors, and the way found."""

from collections.abc import Callable, Sequence

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.contextual.recipes import recipes_of_pairs
from bertviz_core.contextual.sentence_vectors import sentence_vectors
from bertviz_core.encoder import Encoder
from bertviz_core.senses.text_vectors import TextVectors
from bertviz_core.tokens import tokenize
from bertviz_core.views.sentence_vectors.recipe import Brought


def means(encoder: Encoder, texts: Sequence[str], layer: int = -1) -> Array:
    """The mean vector of each text, float32 (n, hidden_size)."""
    return sentence_vectors(encoder, [*tokenize(encoder.bert, texts)])["mean"][layer]


def brought(
    encoder: Encoder,
    texts: Sequence[str],
    stored: Callable[[Array], np.ndarray] = lambda rows: rows.astype(np.float16),
    total: int = 0,
) -> Brought:
    """Mean vectors of texts at the last layer, stored in some way."""
    vectors = stored(means(encoder, texts)).astype(np.float64)
    given = TextVectors(tuple(texts), vectors, total or len(texts))
    return given, recipes_of_pairs(encoder, given.texts, given.vectors)
