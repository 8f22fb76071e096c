"""A sample of a word's occurrences in a corpus, small enough for a map, spread over a column."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.corpus.part_files import END, OFFSET, SENSE, SENTENCE, SOURCE, START
from bertviz_core.corpus.store import Occurrences
from bertviz_core.result import Readable
from bertviz_core.senses.scores import label_numbers
from bertviz_core.senses.vector_files import (
    VectorFile,
    occurrence,
    rows_that_fit,
    shortened,
)
from bertviz_core.senses.vectors import SenseVectors

if TYPE_CHECKING:
    import pyarrow as pa

MAX_SAMPLE = 500  # occurrences: a map of more cannot play
MAX_GROUPS = 12  # as many colours as a map has
RANGES = 6  # that numbers of more values are cut into
OTHERS, EMPTY = "all others", "empty"


class ValueGroups(NamedTuple):
    """Occurrences in groups, by the value of a column."""

    names: tuple[str, ...]  # of the groups that have an occurrence
    of: Ids  # int64 (n,), read-only: the group of each occurrence, an index into `names`


@dataclass(frozen=True, eq=False, repr=False)
class Sample(Readable):
    """Some occurrences of a word in a corpus."""

    opened: VectorFile  # the occurrences and their vectors; `total` says how many there are in all
    rows: Ids  # int64 (n,), read-only: their numbers in the corpus
    # of each group of the column that the sample is spread over: its name, how many
    # occurrences it has, and how many of them were drawn. None where it is spread over none.
    groups: tuple[tuple[str, int, int], ...] | None = None
    # of each of the n the name of its group; None where there are none
    names: tuple[str, ...] | None = None


def stratified_sample(
    occurrences: Occurrences,
    word: str,
    column: str | None = None,
    *,
    most: int = MAX_SAMPLE,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Sample:
    """Draw occurrences of a word at random, always the same ones, and read their vectors.

    With a column: about as many of each of its `value_groups`. `progress` is called after each
    layer, with how many are done and how many there are.
    """
    rows, layers = occurrences.rows(word=word), occurrences.layers
    hidden_size = occurrences.job.model.hidden_size
    most = rows_that_fit(most, len(layers), hidden_size)
    names = None
    groups = None
    if column is None:
        chosen = drawn_evenly(np.zeros_like(rows), most)
    else:
        occurrences.check_columns([column])
        all_names, of = value_groups(occurrences.take(rows, [column]).column(column))
        chosen = drawn_evenly(of, most)
        sizes, drawn = (np.bincount(each, minlength=len(all_names)) for each in (of, of[chosen]))
        groups = tuple(zip(all_names, sizes.tolist(), drawn.tolist(), strict=True))
        names = tuple(all_names[number] for number in of[chosen])
    sampled = frozen(rows[chosen], np.int64)
    vectors = np.empty((len(sampled), len(layers), hidden_size), np.float32)
    for place, layer in enumerate(layers):
        vectors[:, place] = occurrences.vectors(layer, sampled)
        progress(place + 1, len(layers))
    opened = _opened(occurrences, word, sampled, len(rows), read_only(vectors))
    return Sample(opened, sampled, groups, names)


def _opened(
    occurrences: Occurrences, word: str, rows: Ids, total: int, vectors: Array
) -> VectorFile:
    job = occurrences.job
    names = [SENTENCE, START, END, SOURCE, OFFSET, *(one.name for one in occurrences.carried)]
    cells = occurrences.take(rows, names).to_pydict()
    senses = [one if one is None else str(one) for one in cells.pop(SENSE, [None] * len(rows))]
    lines = (label_numbers(zip(cells[SOURCE], cells[OFFSET], strict=True)) + 1).tolist()
    each = zip(cells[SENTENCE], cells[START], cells[END], lines, senses, strict=True)
    read_vectors = SenseVectors(tuple(occurrence(*row) for row in each), vectors, 0)
    columns = {name: shortened(cells[name]) for name in names[3:] if name in cells}
    return VectorFile(
        word, {word: total}, job.model.title, job.pooling, job.layers, read_vectors, columns, True
    )


def value_groups(column: "pa.ChunkedArray | pa.Array") -> ValueGroups:
    """Put occurrences into at most 12 groups: values, ranges, or the 11 most frequent texts."""
    values = column.to_pylist()
    given = [value for value in values if not _is_empty(value)]
    counts = Counter(given)
    names = {value: _printed(value) for value in sorted(counts)}  # of the group of each value
    if len(counts) > MAX_GROUPS and isinstance(given[0], str):
        names = {value: value for value, _ in counts.most_common(MAX_GROUPS - 1)}
    elif len(counts) > MAX_GROUPS:
        edges = np.unique(np.quantile(given, np.arange(1, RANGES) / RANGES, method="higher"))
        numbers = np.array(list(names))
        for part in np.split(numbers, np.searchsorted(numbers, edges)):
            in_range = part.tolist()
            ends = dict.fromkeys(map(_printed, in_range[:1] + in_range[-1:]))
            names |= dict.fromkeys(in_range, "–".join(ends))
    taken = set(names.values())
    others, empty = (in_brackets(name, taken) for name in (OTHERS, EMPTY))
    labels = [empty if _is_empty(value) else names.get(value, others) for value in values]
    used = set(labels)
    groups = [name for name in dict.fromkeys([*names.values(), others, empty]) if name in used]
    number = {name: place for place, name in enumerate(groups)}
    return ValueGroups(tuple(groups), frozen([number[label] for label in labels], np.int64))


def in_brackets(name: str, taken: Collection[object]) -> str:
    """The name, in brackets while it is one of those that are taken."""
    while name in taken:
        name = f"({name})"
    return name


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, float) and not isfinite(value))


def _printed(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def drawn_evenly(of: Ids, most: int) -> Ids:
    """Draw as many rows from each group, or more from the others where one is small."""
    order = np.random.default_rng(0).permutation(len(of))
    order = order[np.argsort(of[order], kind="stable")]
    sizes = np.bincount(of)
    place_in_group = np.arange(len(of)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return read_only(np.sort(order[np.argsort(place_in_group, kind="stable")[:most]]))
