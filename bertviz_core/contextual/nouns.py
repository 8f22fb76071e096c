"""Everyday nouns, each run through the model by itself, and which of them are near a sentence."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, frozen, unit_rows
from bertviz_core.contextual.leans import over_layers
from bertviz_core.contextual.word_vectors import WordInContext, words_in_context
from bertviz_core.disk_cache import key_of, made_once
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError, expect_count, expect_each

NOUNS = Path(__file__).parents[1] / "data" / "nouns.txt"
FORMAT = 1  # raise it when the vectors of the same nouns change
# How much a noun's own cosine counts beside how far it tells sentences apart. At 0, nouns are found
# that are merely far from the other sentence: "business" for a baseball bat; see docs/methods.md.
NEARNESS = 0.25
_LETTERS = re.compile(r"[^\W\d_]+")
_ENDINGS = ("s", "es", "ies", "ves", "ed", "er", "ers", "ing", "ings")


class Nouns(NamedTuple):
    """The nouns that are searched, and their vectors."""

    names: tuple[str, ...]
    vectors: Array  # float32 (n_nouns, num_hidden_layers + 1, hidden_size), each of length 1


def noun_vectors(encoder: Encoder) -> Nouns:
    """The nouns and their vectors: shipped or kept on disk; else they are computed, and kept.

    They have length 1, and are kept in float16: cosines differ by less than 0.001.

    Example:
        >>> noun_vectors(encoder).vectors.shape
        (633, 7, 384)
    """
    arrays = made_once(
        "nouns", vectors_key(encoder), lambda: measure(encoder), encoder.bert.is_current
    )
    return Nouns(listed_nouns(), frozen(arrays["vectors"]))


def listed_nouns() -> tuple[str, ...]:
    """The nouns of this project, by the alphabet."""
    return tuple(NOUNS.read_text(encoding="utf-8").split())


def vectors_key(encoder: Encoder) -> str:
    """Hex digest of the model, the nouns and the way of running them."""
    return key_of(FORMAT, encoder.bert.fingerprint, NOUNS.read_text(encoding="utf-8"))


def measure(encoder: Encoder) -> dict[str, NDArray[np.float16]]:
    """Run each noun by itself: `vectors`, as `Nouns` has them, in the digits that are kept."""
    words = words_in_context(encoder, listed_nouns())
    return {"vectors": unit_rows(np.stack([word.vectors for word in words])).astype(np.float16)}


def nouns_near(
    words: Sequence[WordInContext], nouns: Nouns, k: int = 3, floor: float = -1.0
) -> list[list[str]]:
    """Find the nouns that each sentence brings its word nearest to, compared with the others.

    A noun counts by how much nearer it is to its own sentence than to the others, and by
    `NEARNESS` of how near it is; by the mean over all layers but layer 0. They are for a visitor
    to choose from: for a third of homonyms they name the sense, for the others the surroundings.

    Args:
        words: One word in two sentences or more, or in one and by itself.
        nouns: From `noun_vectors` of the same model. Nouns in the sentences are left out.
        k: How many nouns for each word, at most.
        floor: The least mean cosine of a noun; see `calibration.same_sense.measure`.

    Returns:
        For each word its nouns, strongest first.

    Example:
        >>> sentences = ["I love my pet [python]", "I love coding in [python]"]
        >>> nouns_near(words_in_context(encoder, sentences), noun_vectors(encoder), k=2)
        [['snake', 'turtle'], ['programming', 'software']]
    """
    words = list(expect_each(words, WordInContext, "words, each from word_in_context"))
    expect_count(k, len(nouns.names), "nouns")
    if len(words) < 2:
        raise UserInputError(f"Give a word in two sentences or more; got {len(words)}.")
    allowed = np.flatnonzero(not_in(nouns.names, [one.sentence for one in words], words[0].word))
    units = unit_rows(np.stack([word.vectors for word in words]), np.float32)
    by_layer = units.swapaxes(0, 1) @ nouns.vectors.transpose(1, 2, 0)
    mean = over_layers(by_layer[..., allowed].transpose(1, 2, 0))  # (n_words, n_allowed)
    nearer = (mean - mean.mean(axis=0)) * len(mean) / (len(mean) - 1)  # than to the others
    order = np.argsort(-(nearer + NEARNESS * mean), axis=1, kind="stable")[:, :k]
    return [
        [nouns.names[allowed[number]] for number in row if mean[word, number] >= floor]
        for word, row in enumerate(order)
    ]


def not_in(names: Sequence[str], sentences: Sequence[str], word: str = "") -> NDArray[np.bool_]:
    """Which nouns are in no sentence, in any form, and do not begin like `word`: bool (n_nouns,).

    A model finds "bat" near to "battery", and "photosynthesis" to "photography", for the letters.
    """
    stems_of_texts = {
        stem for text in sentences for one in _LETTERS.findall(text.lower()) for stem in stems(one)
    }
    begins = word.lower()[:4] if len(word) > 2 else " "
    return np.array(
        [stems(name).isdisjoint(stems_of_texts) and not name.startswith(begins) for name in names]
    )


def same_word(word: str, other: str) -> bool:
    """Whether one may be a form of the other."""
    return not stems(word).isdisjoint(stems(other))


@cache
def stems(word: str) -> frozenset[str]:
    """The words that a word may be a form of: "coding" of "code", "berries" of "berry"."""
    forms = {word}
    for ending in _ENDINGS:
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            forms |= {stem, *(stem + letter for letter in ("e", "y", "f", "fe"))}
            if stem[-1] == stem[-2]:
                forms.add(stem[:-1])
    return frozenset(forms)
