"""How much the leans of two sentences differ where the word means the same: the line of a verdict.

For the embedded model the lines ship; for another one they are made when they are first needed.
"""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bertviz_core.arrays import Array, cosine, frozen
from bertviz_core.contextual import nouns
from bertviz_core.contextual.leans import most_apart, over_layers, separation
from bertviz_core.contextual.word_vectors import words_in_context
from bertviz_core.disk_cache import key_of, made_once
from bertviz_core.encoder import Encoder
from bertviz_core.senses import Occurrence, prepared_set, prepared_words, sense_vectors

PERCENT = 90
FORMAT = 4  # raise it when the way of measuring changes in more than these


class SameSenseLine(NamedTuple):
    """How far apart two sentences are without another sense: 90 of 100 pairs at most so far.

    Sentences that are further apart are told apart.
    """

    most: float  # of the mean over the layers from 1 on; see `contextual.leans.over_layers`
    by_layer: Array  # float32 (num_hidden_layers + 1,); infinite at 0, where no context has acted


def same_sense_line(encoder: Encoder, word: str = "") -> SameSenseLine:
    """How far apart the leans of two sentences of one sense are.

    For sentences 1 and 2 and anchors A and B it is the size of (lean[1, A] - lean[1, B]) -
    (lean[2, A] - lean[2, B]), over all pairs of sentences of one sense in the shipped sets, with
    the labels of the senses as anchors.

    Args:
        encoder: The model. The first time, the sentences of the sets are run.
        word: The word that is compared; its own set, if there is one, is left out.

    Example:
        >>> round(same_sense_line(encoder).most, 3)
        0.076
    """
    return _line(encoder, word, "labels")


def found_pair_line(encoder: Encoder, word: str = "") -> SameSenseLine:
    """`same_sense_line` with the anchors that `contextual.nouns.nouns_apart` finds for each pair.

    Example:
        >>> round(found_pair_line(encoder).most, 3)
        0.123
    """
    return _line(encoder, word, "nouns")


def _line(encoder: Encoder, word: str, anchors: str) -> SameSenseLine:
    lines = made_once(
        "same-sense", lines_key(encoder), lambda: measure(encoder), encoder.bert.is_current
    )[anchors]
    stems = nouns.stems(word.lower())
    of_word = [row for row, name in enumerate(_sets(), 1) if stems & nouns.stems(name)]
    line = lines[of_word[0] if of_word else 0].copy()
    line[0] = np.inf
    return SameSenseLine(float(line[-1]), frozen(line[:-1]))


def lines_key(encoder: Encoder) -> str:
    """Hex digest of the model, the sets, the nouns and the way of measuring."""
    return key_of(f"{FORMAT} {PERCENT} {nouns.vectors_key(encoder)}", *_sets().items())


def measure(encoder: Encoder) -> dict[str, Array]:
    """Measure both lines: float32 (1 + sets, layers + 1), row 0 of all, then without each.

    The last number of a row is of the mean over the layers.
    """
    vectors = sense_vectors(encoder, [one for each in _sets().values() for one in each])
    words = np.array([occurrence.word.lower() for occurrence in vectors.occurrences])
    senses = np.array([occurrence.sense for occurrence in vectors.occurrences])
    labels = sorted(set(senses.tolist()))
    by_label = np.stack([label.vectors for label in words_in_context(encoder, labels)])
    list_of_nouns = nouns.noun_vectors(encoder)
    by_labels = []
    by_nouns = []
    for word in _sets():
        rows = np.flatnonzero(words == word)
        labels_of_word = [labels.index(label) for label in sorted(set(senses[rows].tolist()))]
        to_labels, to_nouns = (
            cosine(vectors.vectors[rows, None], anchors)
            for anchors in (by_label, list_of_nouns.vectors)
        )
        allowed = [
            nouns.not_in(list_of_nouns.names, [one.sentence], one.word)
            for one in (vectors.occurrences[row] for row in rows)
        ]
        of_labels = []
        of_nouns = []
        for i, j in combinations(range(len(rows)), 2):
            sense = labels.index(senses[rows[i]])
            if senses[rows[i]] == senses[rows[j]]:
                change = to_labels[i] - to_labels[j]
                others = [label for label in labels_of_word if label != sense]
                of_labels += [change[sense] - change[other] for other in others]
                both = to_nouns[[i, j]][:, allowed[i] & allowed[j]]
                pair = most_apart(over_layers(both), nouns.NEARNESS)
                of_nouns.append(separation(both, *pair))
        by_labels.append(of_labels)
        by_nouns.append(of_nouns)
    layers = encoder.bert.num_hidden_layers + 1
    return {"labels": _lines(by_labels, layers), "nouns": _lines(by_nouns, layers)}


def _lines(by_set: Sequence[Sequence[Array]], layers: int) -> Array:
    """The percentiles over the pairs of all sets, then of all sets but one."""
    lines = []
    for left_out in (-1, *range(len(by_set))):
        pairs = [pair for n, each in enumerate(by_set) if n != left_out for pair in each]
        # A model with few positions reads no sentence to its word: nothing is told apart there.
        line = np.full(layers + 1, np.inf)
        if pairs:
            signed = np.stack(pairs)
            each = np.abs(np.column_stack([signed, over_layers(signed)]))
            line = np.percentile(each, PERCENT, axis=0)
        lines.append(line)
    return frozen(lines)


@cache
def _sets() -> dict[str, tuple[Occurrence, ...]]:
    return {word: prepared_set(word).occurrences for word in prepared_words()}
