"""The occurrences of a word in two groups: two periods, two corpora, two authors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array, Ids
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import drawn_evenly
from bertviz_core.errors import UserInputError
from bertviz_core.result import Readable

MAX_GROUP = 1_000  # occurrences of a group that are compared


@dataclass(frozen=True, eq=False, repr=False)
class Group(Readable):
    """One of two groups."""

    name: str  # its condition: "year<1950"
    rows: Ids  # int64, read-only, rising: numbers of its occurrences, or of those that were drawn
    count: int  # how many there are


@dataclass(frozen=True, eq=False, repr=False)
class TwoGroups(Readable):
    """The occurrences of a word in two groups."""

    first: Group  # those that meet the first condition
    second: Group  # those that meet the second one, or its opposite
    left_out: int  # how many more there are, which are in neither

    def _summary(self) -> str:
        one, other, left = self.first, self.second, f"in neither {self.left_out:,}"
        return f"{one.name}: {one.count:,} occurrences, {other.name}: {other.count:,}, {left}"


def two_groups(
    occurrences: Occurrences, word: str, by: Sequence[str], *, most: int = MAX_GROUP
) -> TwoGroups:
    """Divide the occurrences of a word by one condition, or two.

    Args:
        by: One condition, "year<1950": against all others that have a year. Or two.
        most: How many occurrences of a group are drawn, at random, where it has more.

    Raises:
        UserInputError: It is no condition, a group is empty, or an occurrence is in both.

    Example:
        >>> two_groups(occurrences, "mouse", ["year<1950"])
        TwoGroups(year<1950: 14 occurrences, year>=1950: 13, in neither 0)
    """
    conditions = [occurrences.condition(text) for text in by]
    if len(conditions) == 1:
        conditions.append(conditions[0].opposite)
    if len(conditions) != 2:
        raise UserInputError(f"There are {len(by)} conditions; give one or two.")
    found = [occurrences.rows(word=word, where=condition) for condition in conditions]
    count = occurrences.counts[word]
    for condition, rows in zip(conditions, found, strict=True):
        if not len(rows):
            raise UserInputError(
                f"No occurrence of “{word}” has {condition}; in all there are {count:,}."
            )
    if both := len(np.intersect1d(found[0], found[1])):
        raise UserInputError(
            f"{both:,} occurrences of “{word}” meet both {conditions[0]} and {conditions[1]}; "
            "choose conditions of which none meets both."
        )
    first, second = (
        Group(str(condition), rows[drawn_evenly(np.zeros_like(rows), most)], len(rows))
        for condition, rows in zip(conditions, found, strict=True)
    )
    return TwoGroups(first, second, count - first.count - second.count)


def sentences_of(occurrences: Occurrences, groups: TwoGroups) -> tuple[list[str], list[str]]:
    """Read the sentence of each occurrence of both groups, for `resample`.

    Example:
        >>> first, _ = sentences_of(occurrences, two_groups(occurrences, "mouse", ["year<1950"]))
        >>> first[0]
        'A mouse ran along the beam of the barn and vanished into the hay.'
    """
    first, second = (
        occurrences.take(group.rows, ["sentence"]).column("sentence").to_pylist()
        for group in (groups.first, groups.second)
    )
    return first, second


def vectors_of(occurrences: Occurrences, groups: TwoGroups, layer: int) -> tuple[Array, Array]:
    """Read the vectors of both groups at a layer: float32 (n, hidden_size) and (m, hidden_size).

    Example:
        >>> groups = two_groups(occurrences, "mouse", ["year<1950"])
        >>> [vectors.shape for vectors in vectors_of(occurrences, groups, layer=6)]
        [(14, 384), (13, 384)]
    """
    first, second = groups.first.rows, groups.second.rows
    return occurrences.vectors(layer, first), occurrences.vectors(layer, second)
