"""The occurrences of a word in two groups: two periods, two corpora, two authors."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array, Ids, read_only
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.stratified_sample import drawn_evenly
from bertviz_core.errors import UserInputError, expect_each
from bertviz_core.result import Readable

MAX_GROUP = 1_000  # occurrences of a group that are compared


@dataclass(frozen=True, eq=False, repr=False)
class TwoGroups(Readable):
    """The occurrences of a word in two groups; of each field the first group's comes first."""

    names: tuple[str, str]  # their conditions: "year<1950", "year>=1950"
    rows: tuple[Ids, Ids]  # int64, read-only, rising: numbers of occurrences, all or those drawn
    counts: tuple[int, int]  # how many there are
    left_out: int  # how many more there are, which are in neither

    def _summary(self) -> str:
        (one, other), (count, other_count) = self.names, self.counts
        left = f"in neither {self.left_out:,}"
        return f"{one}: {count:,} occurrences, {other}: {other_count:,}, {left}"


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
    texts = expect_each(by, str, "a list of one or two conditions, each a str")
    conditions = [occurrences.condition(text) for text in texts]
    if len(conditions) == 1:
        conditions.append(conditions[0].opposite)
    if len(conditions) != 2:
        raise UserInputError(f"There are {len(conditions)} conditions; give one or two.")
    names = str(conditions[0]), str(conditions[1])
    first, second = (occurrences.rows(word=word, where=condition) for condition in conditions)
    counts, total = (len(first), len(second)), occurrences.counts[word]
    for name, count in zip(names, counts, strict=True):
        if not count:
            raise UserInputError(
                f"No occurrence of “{word}” has {name}; in all there are {total:,}."
            )
    if both := len(np.intersect1d(first, second)):
        raise UserInputError(
            f"{both:,} occurrences of “{word}” meet both {names[0]} and {names[1]}; "
            "choose conditions of which none meets both."
        )
    drawn = (
        read_only(first[drawn_evenly(np.zeros_like(first), most)]),
        read_only(second[drawn_evenly(np.zeros_like(second), most)]),
    )
    return TwoGroups(names, drawn, counts, total - sum(counts))


def sentences_of(occurrences: Occurrences, groups: TwoGroups) -> tuple[list[str], list[str]]:
    """Read the sentence of each occurrence of both groups, for `resample`.

    Example:
        >>> first, _ = sentences_of(occurrences, two_groups(occurrences, "mouse", ["year<1950"]))
        >>> first[0]
        'A mouse ran along the beam of the barn and vanished into the hay.'
    """
    first, second = (
        occurrences.take(rows, ["sentence"]).column("sentence").to_pylist() for rows in groups.rows
    )
    return first, second


def vectors_of(occurrences: Occurrences, groups: TwoGroups, layer: int) -> tuple[Array, Array]:
    """Read the vectors of both groups at a layer: float32 (n, hidden_size) and (m, hidden_size).

    Example:
        >>> groups = two_groups(occurrences, "mouse", ["year<1950"])
        >>> [vectors.shape for vectors in vectors_of(occurrences, groups, layer=6)]
        [(14, 384), (13, 384)]
    """
    first, second = (occurrences.vectors(layer, rows) for rows in groups.rows)
    return first, second
