"""The percentile scales of a model: one for each kind of pairs that a page compares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, cosine_matrix, frozen, ratio
from bertviz_core.calibration.percentiles import ERRORS_AT, PERCENTS, Calibration
from bertviz_core.encoder import POOLINGS
from bertviz_core.result import Readable

MOST_PIECES = 3  # words of three pieces and more are one kind
TINY = 1e-12  # a vector that is the mean itself has cosine 0 with all
LEAST_WORDS = 50  # of each number of pieces; fewer give no scale


def poolings_of(pieces: int) -> tuple[str, ...]:
    """The poolings that differ for a word of so many pieces; "" where there is nothing to pool."""
    return POOLINGS if pieces > 1 else ("",)


class Pair(NamedTuple):
    """A kind of pairs of different content words, each in a sentence of its own."""

    alone: bool  # whether the second word is alone between [CLS] and [SEP]
    first: int  # pieces of the first word: 1, 2, or 3 for three and more
    second: int
    pooling: str  # how pieces became one vector; "" if both words are one piece

    @property
    def kind(self) -> str:
        """The kind in words."""
        split = " of as many pieces" if self.pooling else ""
        return f"pairs of different content words{split}{', one of them alone' * self.alone}"

    @property
    def description(self) -> str:
        """Both words: "words of one piece with words of two pieces (pooled by mean)"."""
        counts = {1: "one piece", 2: "two pieces"}
        first, second = (
            f"words of {counts.get(count, 'three or more pieces')}"
            for count in (self.first, self.second)
        )
        how = [f"pooled by {self.pooling}"] * bool(self.pooling) + ["the second alone"] * self.alone
        return (first if first == second else f"{first} with {second}") + (
            f" ({', '.join(how)})" if how else ""
        )


@dataclass(frozen=True, eq=False, repr=False)
class Scales(Readable):
    """The percentile scales of a model."""

    model: str
    sentences: int
    means: Array  # float32 (layers, hidden_size), of all ordinary tokens: what centring takes away
    words: Mapping[Pair, Calibration]  # a kind with too few words is left out

    def percentiles(self, cosine: float) -> dict[Pair, Exact]:
        """What one cosine is worth on every scale and at every layer: percent, (layers,)."""
        return {
            pair: np.array([scale.percentile(cosine, layer) for layer in range(scale.layers)])
            for pair, scale in self.words.items()
        }

    def between(
        self, first: int, second: int, pooling: str = "mean", *, alone: bool = False
    ) -> Calibration | None:
        """The scale for two words by their pieces, the second perhaps alone; None if unmeasured."""
        pieces = [min(count, MOST_PIECES) for count in (first, second)]
        if not alone:
            pieces.sort()
        how = pooling if max(pieces) > 1 else ""
        return self.words.get(Pair(alone, pieces[0], pieces[1], how))

    def centred_cosines(self, a: NDArray[Any], b: NDArray[Any], layer: int = 0) -> Array:
        """Cosines of all rows of `a` with all of `b`, of one layer, after centring: (n, m)."""
        mean = self.means[layer].astype(np.float64)
        return cosine_matrix(a - mean, b - mean).astype(np.float32)


def kinds() -> Iterator[Pair]:
    """All kinds of pairs; two words in sentences are given in one order only."""
    counts = range(1, MOST_PIECES + 1)
    for alone, first, second in product((False, True), counts, counts):
        if alone or first <= second:
            for pooling in poolings_of(max(first, second)):
                yield Pair(alone, first, second, pooling)


def scale_of(
    pair: Pair,
    in_sentences: Mapping[int, Array],  # by pieces, (layers, ways, words, hidden_size)
    alone: Mapping[int, Array],
    origins: Mapping[int, Ids],  # by pieces, the sentence of each word
    sentences: int,
    means: Array,
) -> Calibration | None:
    """Measure all pairs of words of different sentences; None with fewer than 50 words a side."""
    seconds = alone if pair.alone else in_sentences
    first, second = (
        vectors[pieces][:, poolings_of(pieces).index(pair.pooling) if pieces > 1 else 0]
        for vectors, pieces in ((in_sentences, pair.first), (seconds, pair.second))
    )
    if min(first.shape[1], second.shape[1]) < LEAST_WORDS:
        return None
    of_pair = origins[pair.first], origins[pair.second]
    counted = of_pair[0][:, None] != of_pair[1]
    same = not pair.alone and pair.first == pair.second
    if same:
        counted &= np.triu(np.ones_like(counted), 1)  # each pair once
    vectors = first.shape[1] if same else first.shape[1] + second.shape[1]
    return measured(first, second, means, counted, of_pair, (pair.kind, sentences, vectors))


def measured(
    first: Array,  # (layers, n, hidden_size)
    second: Array,  # (layers, m, hidden_size)
    means: Array,  # (layers, hidden_size)
    counted: NDArray[np.bool_],  # (n, m), which pairs are of the scale
    origins: tuple[Ids, Ids],  # (n,) and (m,), the sentence of each vector
    of: tuple[str, int, int],  # kind of the pairs, number of sentences and of vectors
) -> Calibration:
    """Measure how the cosines of some pairs are spread, layer by layer."""
    layers: list[list[Any]] = []
    for left, right, mean in zip(first, second, means, strict=True):
        row: list[Any] = []
        for cosines in _cosines(left, right, mean):
            among = cosines[counted]
            quantiles = _quantiles(among)
            errors = _errors(cosines, counted, quantiles, origins)
            row += [quantiles, among.mean(dtype=np.float64), errors]
        layers.append(row)
    raw, raw_means, raw_errors, centred, centred_means, centred_errors = map(
        frozen, zip(*layers, strict=True)
    )
    kind, sentences, vectors = of
    return Calibration(
        sentences=sentences,
        vectors=vectors,
        pairs=int(np.count_nonzero(counted)),
        quantiles=raw,
        centred_quantiles=centred,
        anisotropy=raw_means,
        centred_anisotropy=centred_means,
        kind=kind,
        errors=raw_errors,
        centred_errors=centred_errors,
    )


def _cosines(first: Array, second: Array, mean: Array) -> Iterator[Array]:
    """Cosines of each vector with each of the other side, float32 (n, m), raw and centred."""
    # Both from one product: (a - c) (b - c) = ab - ac - bc + cc takes a third of the time.
    products = first @ second.T
    for centre in (np.zeros_like(mean), mean):
        left, right = (rows @ centre for rows in (first, second))  # (n,) and (m,)
        square = centre @ centre
        squares = (
            np.einsum("nh,nh->n", rows, rows) - 2 * onto + square
            for rows, onto in ((first, left), (second, right))
        )
        lengths, others = (np.sqrt(np.maximum(values, TINY)) for values in squares)
        dots = products - left[:, None] - right + square
        yield np.clip(dots / lengths[:, None] / others, -1, 1)


def _quantiles(cosines: Array) -> Array:
    ordered = np.sort(cosines)  # faster than picking 119 quantiles
    return np.interp(PERCENTS, np.linspace(0, 100, len(ordered)), ordered).astype(np.float32)


def _errors(
    cosines: Array, counted: NDArray[np.bool_], quantiles: Array, origins: tuple[Ids, Ids]
) -> list[float]:
    """Standard errors of the percentiles `ERRORS_AT`, in points: leave each sentence out."""
    pairs = _by_sentence(counted, origins)
    errors = []
    for limit in np.interp(ERRORS_AT, PERCENTS, quantiles):
        below = _by_sentence(counted & (cosines < limit), origins)
        # No pair is of one sentence, so each pair is in two of the sums.
        shares = ratio(below.sum() / 2 - below, pairs.sum() / 2 - pairs)[pairs > 0]
        errors.append(100 * float(np.sqrt((len(shares) - 1) * shares.var())))
    return errors


def _by_sentence(pairs: NDArray[np.bool_], origins: tuple[Ids, Ids]) -> Exact:
    """Count the pairs that a vector of each sentence is in."""
    first, second = origins
    sentences = int(max(first.max(), second.max())) + 1
    ones = pairs.astype(np.float32)  # NumPy adds them faster than booleans
    left = np.bincount(first, ones.sum(axis=1), sentences)
    right = np.bincount(second, ones.sum(axis=0), sentences)
    return (left + right).astype(np.float64)
