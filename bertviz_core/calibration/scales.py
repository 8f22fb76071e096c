"""The percentile scales of a model: one for each kind of pairs that a page compares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Ids
from bertviz_core.calibration.cosines import Calibration
from bertviz_core.calibration.measuring import calibration_of_pairs
from bertviz_core.calibration.words import MOST_PIECES, poolings_of
from bertviz_core.result import Result

ANY_TOKENS = "pairs of any tokens"
LEAST_WORDS = 50  # of each number of pieces; fewer give no scale


class Pair(NamedTuple):
    """A kind of pairs of different content words, each in a sentence of its own.

    Attributes:
        alone: Whether the second word stands alone between [CLS] and [SEP].
        first: Pieces of the first word: 1, 2, or 3 for three and more.
        second: Pieces of the second word.
        pooling: How pieces became one vector; "" if both words are one piece.
    """

    alone: bool
    first: int
    second: int
    pooling: str

    @property
    def kind(self) -> str:
        """The kind in words."""
        split = " of as many pieces" if self.pooling else ""
        return f"pairs of different content words{split}{', one of them alone' * self.alone}"


@dataclass(frozen=True, eq=False, repr=False)
class Scales(Result):
    """The percentile scales of a model.

    Attributes:
        tokens: Of any tokens, pieces, function words and signs among them.
        words: Of different content words, by kind. A kind of which the sentences hold too few words
            is not there.
    """

    tokens: Calibration
    words: Mapping[Pair, Calibration]

    @property
    def model(self) -> str:
        """Name of the checkpoint."""
        return self.tokens.model

    @property
    def means(self) -> Array:
        """(layers, hidden_size), the mean vector of any tokens, which centring takes away."""
        return self.tokens.means

    def between(
        self, first: int, second: int, pooling: str = "mean", *, alone: bool = False
    ) -> Calibration | None:
        """Choose the scale for two words by what they are, not by how alike they are.

        Args:
            first: How many pieces the first word has, which stands in a sentence.
            second: How many pieces the second word has.
            pooling: How pieces became one vector.
            alone: Whether the second word stands alone between [CLS] and [SEP].

        Returns:
            The scale; None where the sentences hold too few such words.
        """
        pieces = [min(count, MOST_PIECES) for count in (first, second)]
        if not alone:
            pieces.sort()
        how = pooling if max(pieces) > 1 else ""
        return self.words.get(Pair(alone, pieces[0], pieces[1], how))

    def columns(self) -> dict[str, Any]:
        """One row a kind of pairs and layer: any tokens, then content words by their pieces."""
        rows = [(ANY_TOKENS, None, None, "", self.tokens)] + [
            (pair.kind, pair.first, pair.second, pair.pooling, scale)
            for pair, scale in self.words.items()
        ]
        again = [row for row in rows for _ in range(self.tokens.layers)]
        layers = [scale.columns() for *_, scale in rows]
        return {
            "kind": [kind for kind, *_ in again],
            "pieces of the first": [first for _, first, *_ in again],
            "of the second": [second for _, _, second, *_ in again],
            "pooling": [pooling for *_, pooling, _ in again],
            **{title: np.concatenate([one[title] for one in layers]) for title in layers[0]},
        }

    def _summary(self) -> str:
        return f"{self.model}: {self.tokens.kind} and {len(self.words)} kinds of pairs of words"


def kinds() -> Iterator[Pair]:
    """All kinds of pairs; two words in sentences are given in one order only."""
    counts = range(1, MOST_PIECES + 1)
    for alone, first, second in product((False, True), counts, counts):
        if alone or first <= second:
            for pooling in poolings_of(max(first, second)):
                yield Pair(alone, first, second, pooling)


def scale_of(
    pair: Pair,
    tokens: Calibration,
    in_sentences: Mapping[int, Array],
    alone: Mapping[int, Array],
    origins: Mapping[int, Ids],
) -> Calibration | None:
    """Measure the scale of a kind of pairs: all pairs of words of different sentences.

    Args:
        pair: The kind.
        tokens: The scale of any tokens of the model, whose means centring takes away.
        in_sentences: By number of pieces, float32 (layers, ways, words, hidden_size), as the ways
            of `words.poolings_of`.
        alone: The same words alone.
        origins: By number of pieces, the sentence of each word.

    Returns:
        The scale; None if there are fewer than 50 words of either kind.
    """
    seconds = alone if pair.alone else in_sentences
    first, second = (
        vectors[pieces][:, poolings_of(pieces).index(pair.pooling) if pieces > 1 else 0]
        for vectors, pieces in ((in_sentences, pair.first), (seconds, pair.second))
    )
    if min(first.shape[1], second.shape[1]) < LEAST_WORDS:
        return None
    left, right = origins[pair.first], origins[pair.second]
    counted = left[:, None] != right
    if not pair.alone and pair.first == pair.second:
        counted &= np.triu(np.ones_like(counted), 1)  # each pair once
    return calibration_of_pairs(
        tokens.model,
        zip(first[:, None], second[:, None], strict=True),
        counted[None],
        (left[None], right[None]),
        sentences=tokens.sentences,
        vectors=first.shape[1] + (second.shape[1] if first is not second else 0),
        means=tokens.means,
        kind=pair.kind,
    )
