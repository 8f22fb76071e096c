"""How well the vectors of each layer tell the labelled senses of a word apart."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from numbers import Integral
from types import MappingProxyType, NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, cosine_matrix, frozen, on_one_thread
from bertviz_core.errors import UserInputError, expect, expect_each
from bertviz_core.result import Result
from bertviz_core.senses.projection import expect_vectors

MAX_SCORED = 200  # occurrences: 19,900 pairs at each layer
SHUFFLES = 300
CHANCE = 95  # percentile
_DECIMALS = 6  # of a cosine: beyond, equal vectors differ by rounding
_SEED = 0


@dataclass(frozen=True, eq=False, repr=False)
class SenseScores(Result):
    """How well cosines tell the labels of a word's occurrences apart, at every layer.

    Attributes:
        rows: int64 (n,), read-only: the occurrences that were compared.
        same_sense: How many pairs of them have one sense.
        other_sense: How many pairs have two senses.
        auc: float32 (layers,), read-only: the chance that a pair of one sense has a higher cosine
            than a pair of two senses.
        chance: Of 100 shuffles of the labels, 95 have a lower `auc` than this at every layer.
        best: Layers with the highest `auc`.
        without_word: The same of the sentences without the word; None where they are not known.
    """

    rows: Ids
    same_sense: int
    other_sense: int
    auc: Array
    chance: float
    best: tuple[int, ...]
    without_word: "SenseScores | None" = None

    def columns(self) -> dict[str, Any]:
        """One row a layer, from 0."""
        columns = {"layer": np.arange(len(self.auc)), "AUC": self.auc}
        if self.without_word is not None:
            columns["AUC without the word"] = self.without_word.auc
        return columns

    def _summary(self) -> str:
        best = self.best[0]
        summary = (
            f"{len(self.rows):,} occurrences, {self.same_sense + self.other_sense:,} pairs; "
            f"best layer {best}: AUC {self.auc[best]:.3f} (shuffled {self.chance:.3f})"
        )
        if self.without_word is not None:
            best = self.without_word.best[0]
            summary += f"; without the word {self.without_word.auc[best]:.3f} (layer {best})"
        return summary


def sense_scores(
    vectors: Array,
    senses: Sequence[str | None],
    others: Mapping[int, Array] = MappingProxyType({}),
) -> SenseScores:
    """Score every layer against the labels of senses.

    Args:
        vectors: float32 (n, layers, hidden_size).
        senses: n labels; occurrences without one are left out. Of more than 200, 200 are drawn.
        others: `SenseVectors.others`, by which the sentences without the word are compared.

    Returns:
        The scores; the same for the same vectors and labels.

    Raises:
        UserInputError: There are not both pairs of one sense and pairs of different senses; or not
            one label for each vector, or vectors that are not finite numbers of this shape.

    References:
        `roc_auc_score` of scikit-learn.

    Example:
        >>> from bertviz_core.senses import prepared_set, sense_vectors
        >>> bank = prepared_set("bank").occurrences
        >>> found = sense_vectors(encoder, bank)
        >>> scores = sense_scores(found.vectors, [one.sense for one in bank], found.others)
        >>> scores.auc[[4, 6]].round(2), scores.without_word.auc[[4, 6]].round(2)
        (array([0.81, 0.77], dtype=float32), array([0.69, 0.72], dtype=float32))
    """
    kinds: Any = (str, Integral, NoneType)
    senses = list(expect_each(senses, kinds, "a list of labels, each a str or None"))
    expect(others, Mapping, "the means of other tokens by row, such as SenseVectors.others")
    vectors = expect_vectors(vectors, "(n, layers, hidden_size)")
    if len(senses) != len(vectors):
        raise UserInputError(f"There are {len(senses)} labels for {len(vectors)} vectors.")
    rows = sampled([row for row, sense in enumerate(senses) if sense is not None])
    labels = label_numbers(senses[row] for row in rows)
    first, second = np.triu_indices(len(rows), 1)
    one_sense = labels[first] == labels[second]
    if one_sense.all() or not one_sense.any():
        raise UserInputError(
            "The labels give no two occurrences of one sense, or none of different senses."
        )
    shuffled = np.random.default_rng(_SEED).permuted(np.tile(labels, (SHUFFLES, 1)), axis=1)
    with on_one_thread():
        by_layer = [cosine_matrix(layer, layer) for layer in vectors[rows].swapaxes(0, 1)]
        cosines = np.stack([matrix[first, second] for matrix in by_layer], axis=1)
        auc = pair_auc(cosines.round(_DECIMALS), one_sense)
        by_chance = pair_auc(cosines.round(_DECIMALS), shuffled[:, first] == shuffled[:, second])
    without_word = None
    if kept := [row for row in rows.tolist() if row in others]:
        of_kept = expect_vectors([others[row] for row in kept], "(others, layers, hidden_size)")
        with suppress(UserInputError):  # they give no pairs of both kinds
            without_word = sense_scores(of_kept, [senses[row] for row in kept])
    return SenseScores(
        frozen(rows, np.int64),
        int(one_sense.sum()),
        int((~one_sense).sum()),
        frozen(auc),
        float(np.percentile(by_chance.max(axis=1), CHANCE)),
        tuple(np.flatnonzero(auc == auc.max()).tolist()),
        without_word,
    )


def label_numbers(labels: Iterable[Hashable]) -> Ids:
    """Number labels from 0, in the order in which they first come: int64 (n,)."""
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def sampled(rows: Sequence[int]) -> Ids:
    """At most 200 of some rows, int64, rising: of more, a sample that is always the same."""
    numbers = np.array(rows, dtype=np.int64)
    if len(rows) <= MAX_SCORED:
        return numbers
    sample = np.random.default_rng(_SEED).choice(len(rows), MAX_SCORED, replace=False)
    return np.sort(numbers[sample])


def pair_auc(cosines: Exact, one_sense: NDArray[np.bool]) -> Exact:
    """The AUC of the pairs in `one_sense`, (..., pairs), by cosines, (pairs, layers).

    The chance that such a pair has a higher cosine than another pair: float64 (..., layers).
    """
    from scipy.stats import rankdata

    same = one_sense.sum(axis=-1, keepdims=True)
    others = len(cosines) - same
    below = one_sense @ rankdata(cosines, axis=0) - same * (same + 1) / 2
    auc: Exact = below / (same * others)
    return auc
