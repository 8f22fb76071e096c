"""Which anchor a sentence draws its word to, compared with other sentences."""

from collections.abc import Sequence

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine, frozen
from bertviz_core.contextual.word_vectors import WordInContext, check_one_model
from bertviz_core.errors import UserInputError, expect_each


def lean(
    words: Sequence[WordInContext],
    anchors: Sequence[WordInContext],
    alone: WordInContext | None = None,
) -> Array:
    """Compare sentences with each other: how much nearer than on average each word is to an anchor.

    This is a contrast, not a classifier. An anchor has a level of its own: *stamp* is near to
    *seal* in any sentence. Only what differs between the sentences comes from the context.

    Args:
        words: One word in n_words sentences, at least two, or one with `alone`.
        anchors: n_anchors words, each by itself as a rule.
        alone: The word by itself. With it, its cosines are subtracted instead of the mean.

    Returns:
        float32 (n_words, n_anchors, num_hidden_layers + 1), read-only: the cosine of a word to an
        anchor less the mean over the words, so that the words of an anchor add up to 0; or less
        the cosine of `alone`.

    Raises:
        UserInputError: There is no word, one without `alone`, or no anchor; or they come from
            models of different shape.

    Example:
        >>> from bertviz_core.contextual.word_vectors import words_in_context
        >>> sentences = ["I love my pet [python]", "I love coding in [python]"]
        >>> words = words_in_context(encoder, sentences)
        >>> lean(words, words_in_context(encoder, ["snake", "programming"]))[..., 6].round(2)
        array([[ 0.12, -0.08],
               [-0.12,  0.08]], dtype=float32)
    """
    words, anchors = (
        list(expect_each(given, WordInContext, "words, each from word_in_context"))
        for given in (words, anchors)
    )
    if not anchors or len(words) < (1 if alone else 2):
        raise UserInputError(
            "A lean needs two words or more, or one and the same word by itself; and an anchor. "
            f"Given: {len(words)} and {len(anchors)}."
        )
    check_one_model([*words, *anchors, *([] if alone is None else [alone])])
    compared, others = (np.stack([word.vectors for word in side]) for side in (words, anchors))
    return leans_of(compared, others, None if alone is None else alone.vectors)


def leans_of(words: Array, anchors: Array, alone: Array | None = None) -> Array:
    """`lean` for vectors: (n_words, layers, hidden_size) and (n_anchors, layers, hidden_size).

    `alone` is (layers, hidden_size). Returns float32 (n_words, n_anchors, layers).
    """
    cosines = cosine(words[:, None], anchors)
    level = cosines.mean(axis=0) if alone is None else cosine(alone, anchors)
    return frozen(cosines - level)


def over_layers(by_layer: Array | Exact) -> Array:
    """Mean over the layers from 1 on, where the context acts: (..., layers) to (...).

    Of all layers and their mean, the mean tells most pairs of senses apart; see docs/methods.md.
    """
    return frozen(by_layer[..., 1:].mean(axis=-1))
