"""How much one other word of a sentence changes where there is nothing to be found."""

from collections.abc import Iterable, Sequence
from itertools import cycle, islice

import numpy as np

from bertviz_core.arrays import Array, frozen
from bertviz_core.bert import Bert
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.marks import MarkedText
from bertviz_core.contextual.occlusion import REMOVALS, influence, occluded_contexts
from bertviz_core.contextual.word_vectors import words_of_marks
from bertviz_core.encoder import Encoder
from bertviz_core.tokens import tokenize

# Numbers of tokens of a sentence, [CLS] and [SEP] too, from and to.
LENGTHS = ((5, 10), (11, 19), (20, 45))
LONGEST = LENGTHS[-1][-1]
MAX_SENTENCES = 20  # of each length
MIN_SENTENCES = 10
ANCHORS = 10  # unrelated nouns that each sentence's word is compared with
PERCENT = 90


def length_of(tokens: int) -> int:
    """The number in `LENGTHS` for a text of so many tokens; -1 if it is shorter or longer."""
    return next((i for i, (low, high) in enumerate(LENGTHS) if low <= tokens <= high), -1)


def to_follow(bert: Bert, words: Sequence[MarkedText]) -> list[tuple[int, MarkedText]]:
    """Of words at random, one a sentence and 20 for each of `LENGTHS`, with its number."""
    by_length: list[dict[str, MarkedText]] = [{} for _ in LENGTHS]
    for word in words:
        length = length_of(len(tokenize(bert, word.text)))
        if length >= 0 and len(by_length[length]) < MAX_SENTENCES:
            by_length[length].setdefault(word.text, word)
    return [(length, word) for length, by_text in enumerate(by_length) for word in by_text.values()]


def largest_changes(
    encoder: Encoder,
    followed: Iterable[tuple[int, MarkedText]],
    unrelated: Sequence[WordInContext],
) -> list[Array]:
    """Largest changes by another word: for each of `LENGTHS` float32 (n, removals, 10, layers).

    The anchors of a word are the next 10 of the `unrelated` nouns, in a circle, that are not in
    its sentence. NaN for "mask" where the vocabulary has none.
    """
    layers = encoder.bert.num_hidden_layers + 1
    in_a_circle = cycle(unrelated)
    by_length: list[list[Array]] = [[] for _ in LENGTHS]
    for length, mark in followed:
        (word,) = words_of_marks(encoder, [mark])
        text = word.sentence.lower()
        not_in_it = (one for one in in_a_circle if one.word.lower() not in text)
        anchors = list(islice(not_in_it, ANCHORS))
        changes = np.full((len(REMOVALS), ANCHORS, layers), np.nan, np.float32)
        for removal, row in zip(REMOVALS, changes, strict=True):
            if removal == "drop" or encoder.bert.vocabulary.mask is not None:
                changed = occluded_contexts(encoder, word, removal)
                row[:] = [np.abs(influence(word, changed, one)).max(axis=1) for one in anchors]
        by_length[length].append(changes)
    shape = (-1, len(REMOVALS), ANCHORS, layers)
    return [np.array(each, np.float32).reshape(shape) for each in by_length]


def lines(by_length: Iterable[Array]) -> Array:
    """What 90 in 100 of the largest changes stay below: float32 (lengths, removals, layers).

    NaN for a length with fewer than 10 sentences.
    """
    return frozen(
        [
            np.percentile(each, PERCENT, axis=(0, 2))
            if len(each) >= MIN_SENTENCES
            else np.full((len(REMOVALS), each.shape[-1]), np.nan)
            for each in by_length
        ]
    )
