"""How much the leans of two sentences differ where the word means the same: what "clearly" is.

For the embedded model the lines ship; for another one they are made when they are first needed.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, cosine, frozen
from bertviz_core.contextual import nouns
from bertviz_core.contextual.leans import most_apart, separation
from bertviz_core.contextual.words import words_in_context
from bertviz_core.disk_cache import key_of, made_once
from bertviz_core.encoder import Encoder
from bertviz_core.senses import Occurrence, prepared_set, prepared_words, sense_vectors

PERCENTS = (50, 90)
FORMAT = 3  # raise it when the way of measuring changes in more than these


class SameSenseLine(NamedTuple):
    """How large a separation is without another sense, by layer; for `contextual.leans.verdict`.

    Both are infinite at layer 0, where no context has acted: there no verdict is "clearly".
    """

    half: Array  # float32 (num_hidden_layers + 1,): half of the pairs stay below
    most: Array  # the same for 90 of 100 pairs


def same_sense_line(encoder: Encoder, word: str = "") -> SameSenseLine:
    """How far apart the leans of two sentences of one sense are, by layer.

    For sentences 1 and 2 and anchors A and B it is the size of (lean[1, A] - lean[1, B]) -
    (lean[2, A] - lean[2, B]), over all pairs of sentences of one sense in the shipped sets, with
    the labels of the senses as anchors.

    Args:
        encoder: The model. The first time, the sentences of the sets are run.
        word: The word that is compared; its own set, if there is one, is left out.

    Example:
        >>> same_sense_line(encoder).most[[1, 6]].round(3)
        array([0.052, 0.14 ], dtype=float32)
    """
    return _line(encoder, word, "labels")


def found_pair_line(encoder: Encoder, word: str = "") -> SameSenseLine:
    """`same_sense_line` with the anchors that `contextual.nouns.nouns_apart` finds for each pair.

    Example:
        >>> found_pair_line(encoder).most[[1, 6]].round(3)
        array([0.072, 0.223], dtype=float32)
    """
    return _line(encoder, word, "nouns")


def _line(encoder: Encoder, word: str, anchors: str) -> SameSenseLine:
    key, is_current = lines_key(encoder), encoder.bert.is_current
    lines = made_once("same-sense", key, lambda: measure(encoder), is_current)[anchors]
    own = nouns.stems(word.lower())
    of_word = [row for row, name in enumerate(_sets(), 1) if own & nouns.stems(name)]
    line = lines[of_word[0] if of_word else 0].copy()
    line[:, 0] = np.inf
    return SameSenseLine(*frozen(line))


def lines_key(encoder: Encoder) -> str:
    """Hex digest of the model, the sets, the nouns and the way of measuring."""
    return key_of(f"{FORMAT} {PERCENTS} {nouns.vectors_key(encoder)}", *_sets().items())


def measure(encoder: Encoder) -> dict[str, Array]:
    """Measure both lines: float32 (1 + sets, 2, layers), row 0 of all, then without each."""
    found = sense_vectors(encoder, [one for own in _sets().values() for one in own])
    words = np.array([occurrence.word.lower() for occurrence in found.occurrences])
    senses = np.array([occurrence.sense for occurrence in found.occurrences])
    labels = sorted(set(senses.tolist()))
    by_label = np.stack([label.vectors for label in words_in_context(encoder, labels)])
    list_of_nouns = nouns.noun_vectors(encoder)
    by_labels, by_nouns = [], []
    for word in _sets():
        own = np.flatnonzero(words == word)
        here = [labels.index(label) for label in sorted(set(senses[own].tolist()))]
        to_labels, to_nouns = (
            cosine(found.vectors[own, None], anchors)
            for anchors in (by_label, list_of_nouns.vectors)
        )
        allowed = [
            nouns.not_in(list_of_nouns.names, [one.sentence], one.word)
            for one in (found.occurrences[number] for number in own)
        ]
        of_labels, of_nouns = [], []
        for i, j in combinations(range(len(own)), 2):
            sense = labels.index(senses[own[i]])
            if senses[own[i]] == senses[own[j]]:
                change = to_labels[i] - to_labels[j]
                of_labels += [
                    abs(change[sense] - change[other]) for other in here if other != sense
                ]
                both = to_nouns[[i, j]][:, allowed[i] & allowed[j]]
                pair = most_apart(both[..., 1:].mean(axis=2), nouns.NEARNESS)
                of_nouns.append(separation(both, *pair))
        by_labels.append(of_labels)
        by_nouns.append(of_nouns)
    # A model with few positions reads no sentence to its word: nothing is "clearly" apart there.
    nothing = np.full((len(PERCENTS), encoder.bert.num_hidden_layers + 1), np.inf)
    return {"labels": _lines(by_labels, nothing), "nouns": _lines(by_nouns, nothing)}


def _lines(by_set: Sequence[Sequence[Array]], nothing: Array) -> Array:
    """The percentiles over the pairs of all sets, then of all sets but one; `nothing` of none."""
    left_out = [-1, *range(len(by_set))]
    pairs = ([pair for n, own in enumerate(by_set) if n != out for pair in own] for out in left_out)
    return frozen([np.percentile(own, PERCENTS, axis=0) if own else nothing for own in pairs])


@cache
def _sets() -> dict[str, tuple[Occurrence, ...]]:
    return {word: prepared_set(word).occurrences for word in prepared_words()}
