"""A column of many occurrences as a few groups, and a sample that has some of each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bertviz_core.arrays import Ids, frozen, read_only
from bertviz_core.result import Result

if TYPE_CHECKING:
    import pyarrow as pa

MOST = 12  # groups: as many colours as a map has
RANGES = 6  # that numbers of more values are cut into
OTHERS, EMPTY = "all others", "empty"


@dataclass(frozen=True, eq=False, repr=False)
class Strata(Result):
    """Occurrences in groups, by the value of a column.

    Attributes:
        names: Of the groups that have an occurrence.
        of: int64 (n,), read-only: the group of each occurrence, an index into `names`.
    """

    names: tuple[str, ...]
    of: Ids

    @property
    def sizes(self) -> Ids:
        """How many occurrences each group has."""
        return np.bincount(self.of, minlength=len(self.names))

    def columns(self) -> dict[str, Any]:
        """One row an occurrence."""
        return {
            "number": np.arange(1, len(self.of) + 1),
            "group": [self.names[group] for group in self.of.tolist()],
        }


def strata(column: "pa.ChunkedArray | pa.Array") -> Strata:
    """Put occurrences into at most 12 groups, and one for those without a value.

    Args:
        column: Text, numbers, or true and false; one value an occurrence.

    Returns:
        A group a value where there are at most 12. Of more numbers, up to six ranges with about as
        many occurrences each; of more texts, the 11 most frequent, and the others together.
    """
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if kinds.is_floating(column.type):
        column = pc.if_else(pc.is_finite(column), column, None)
    counted = pc.value_counts(column.drop_null())
    values, counts = counted.field("values"), counted.field("counts").to_numpy()
    if len(values) <= MOST:
        return _by_value(column, values.take(pc.sort_indices(values)))
    if kinds.is_integer(column.type) or kinds.is_floating(column.type):
        return _by_range(column)
    largest = np.argsort(-counts, kind="stable")[: MOST - 1]
    return _by_value(column, values.take(pa.array(largest)))


def _by_value(column: "pa.Array", values: "pa.Array") -> Strata:
    """A group for each of some values, one for all others, one for those without."""
    import pyarrow.compute as pc

    names = [_printed(value) for value in values.to_pylist()]
    numbers = pc.index_in(column, value_set=values).to_numpy(zero_copy_only=False)
    of = np.where(np.isnan(numbers), len(names), numbers).astype(np.int64)
    of[column.is_null().to_numpy(zero_copy_only=False)] = len(names) + 1
    return _without_empty([*names, OTHERS, EMPTY], of)


def _by_range(column: "pa.Array") -> Strata:
    empty = column.is_null().to_numpy(zero_copy_only=False)
    numbers = column.drop_null().to_numpy()
    middle = np.arange(1, RANGES) / RANGES
    starts = np.unique(np.quantile(numbers, middle, method="higher"))
    ranges = np.searchsorted(starts, numbers, side="right")
    of = np.full(len(column), len(starts) + 1, np.int64)
    of[~empty] = ranges
    names = []
    for number in range(len(starts) + 1):
        own = numbers[ranges == number]
        ends = dict.fromkeys(_printed(end) for end in (own.min(), own.max())) if len(own) else {}
        names.append("–".join(ends))
    return _without_empty([*names, EMPTY], of)


def _without_empty(names: list[str], of: Ids) -> Strata:
    """Leave out the groups that nothing is in."""
    used, renumbered = np.unique(of, return_inverse=True)
    return Strata(tuple(names[number] for number in used), frozen(renumbered, np.int64))


def _printed(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)


def drawn(of: Ids, most: int) -> Ids:
    """Draw from all groups, as many from each as can be.

    A group that is smaller than its share gives all it has, and the others share what is left.

    Args:
        of: int64 (n,): the group of each occurrence.
        most: How many to draw.

    Returns:
        int64, read-only: rows of `of`, rising; the same for the same groups.
    """
    if len(of) <= most:
        return frozen(np.arange(len(of)), np.int64)
    random = np.random.default_rng(0)
    sizes = np.bincount(of)
    members = np.split(np.argsort(of, kind="stable"), np.cumsum(sizes)[:-1])
    chosen: list[Ids] = []
    left, groups = most, int((sizes > 0).sum())
    for number in np.argsort(sizes, kind="stable"):
        if sizes[number]:
            share = min(int(sizes[number]), left // groups)
            chosen.append(random.choice(members[number], share, replace=False))
            left, groups = left - share, groups - 1
    return read_only(np.sort(np.concatenate(chosen)))
