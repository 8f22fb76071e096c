"""How far is a word's use apart in two periods or two corpora?"""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.command.folders import add_folder, chosen_layer
from bertviz_core.corpus.printing import origin, printable, sentence_line
from bertviz_core.corpus.shift.changed import central, changed
from bertviz_core.corpus.shift.measures import LOW_P, Shift, shares, shift
from bertviz_core.corpus.shift.resamples import Measure, Resamples, resample
from bertviz_core.corpus.shift.two_groups import (
    MOST,
    Group,
    TwoGroups,
    sentences_of,
    two_groups,
    vectors_of,
)
from bertviz_core.corpus.store import Occurrences
from bertviz_core.errors import UserInputError
from bertviz_core.senses.groups import MOST_GROUPS, group

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CLUSTERS = 20
MOST_SAMPLED = 5_000  # of a group; k-means compares all pairs of both, which takes 0.4 GB


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The word, the folder, and what divides the occurrences."""
    parser.add_argument("word", metavar="WORD", help="one of the words of the job")
    add_folder(parser)
    parser.add_argument(
        "--by", metavar="CONDITION", action="append", required=True,
        help="'year<1950': against all others; given twice, each is a group; or a column of two "
        "values",
    )  # fmt: skip
    parser.add_argument(
        "--layer", type=int, help="for the clusters and sentences; the last one kept if left out"
    )
    parser.add_argument(
        "--clusters", metavar="N", type=int, help="how many; by silhouette if left out"
    )
    parser.add_argument(
        "--sentences", metavar="N", type=int, default=5, help="to print for a group (5)"
    )
    parser.add_argument(
        "--sample", metavar="N", type=int, default=MOST,
        help=f"compare at most N occurrences of a group, drawn at random ({MOST:,})",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers (0)")


def run(options: argparse.Namespace) -> int:
    """Print the measures at each layer, the groups' shares by cluster, and sentences."""
    occurrences = Occurrences.open(options.folder)
    layer = chosen_layer(occurrences, options.layer)
    _check_numbers(options)
    groups = two_groups(
        occurrences, options.word, options.by, most=options.sample, seed=options.seed
    )
    sentences = sentences_of(occurrences, groups)
    resamples = resample(*sentences, seed=options.seed)
    for line in _about(occurrences, options, groups, sentences):
        print(line)
    measured = shift((vectors_of(occurrences, groups, each) for each in occurrences.layers),
                     resamples)  # fmt: skip
    print()
    for line in _by_layer(occurrences.layers, measured):
        print(line)
    rows = np.concatenate([groups.first.rows, groups.second.rows])
    columns = ["sentence", "start", "end", "source", *(each.name for each in occurrences.carried)]
    texts = occurrences.take(rows, columns)
    first, second = vectors_of(occurrences, groups, layer)
    print()
    for line in _by_cluster(first, second, resamples, groups, texts, layer, options.clusters):
        print(line)
    for line in _sentences(first, second, resamples, groups, texts, options.sentences):
        print(line)
    return 0


def _check_numbers(options: argparse.Namespace) -> None:
    if options.clusters is not None and not 2 <= options.clusters <= MOST_CLUSTERS:
        raise UserInputError(f"--clusters is a number from 2 to {MOST_CLUSTERS}.")
    if not 1 <= options.sample <= MOST_SAMPLED:
        raise UserInputError(f"--sample is a number from 1 to {MOST_SAMPLED:,}.")
    if options.seed < 0 or options.sentences < 0:
        raise UserInputError("--seed and --sentences are numbers from 0 on.")


def _about(
    occurrences: Occurrences,
    options: argparse.Namespace,
    groups: TwoGroups,
    sentences: tuple[list[str], list[str]],
) -> Iterator[str]:
    yield f"“{options.word}” in {options.folder}, with {occurrences.about.model}:"
    for one, texts in zip((groups.first, groups.second), sentences, strict=True):
        drawn = f", of which {len(one.rows):,} were drawn at random" if _is_sample(one) else ""
        name, different = printable(one.name), len(set(texts))
        yield f"  {name}: {one.count:,} occurrences{drawn}; {different:,} different sentences"
    if groups.left_out:
        yield f"  Occurrences in neither group: {groups.left_out:,}"
    if occurrences.parts_missing:
        yield f"  The job is not finished; missing parts: {occurrences.parts_missing:,}"


def _is_sample(one: Group) -> bool:
    return len(one.rows) < one.count


def _by_layer(layers: tuple[int, ...], measured: Shift) -> Iterator[str]:
    average, prototype = measured.average, measured.prototype
    columns = f"{'value':>6}  {'95% interval':^14}  {'at random':^14}  {'p':>5}"
    yield f"       between /  {'average pairwise distance':<45}    prototype distance"
    yield f"layer     within  {columns}    {columns}"
    for number, layer in enumerate(layers):
        relative = f"{measured.relative[number]:>9.3f}"
        numbers = f"{_numbers(average, number)}    {_numbers(prototype, number)}"
        yield f"{layer:>5}  {relative}  {numbers}"
    yield (
        "Between / within: how far two uses of different groups are apart, over how far two of one "
        "group are. 1: no further. Compare words by this number."
    )
    yield LOW_P
    yield "At random: 90 of 100 random divisions of the same sentences lie there."
    if len(layers) > 1:
        yield (
            f"Lowest p of {len(layers)} layers, held against the lowest p of each random division: "
            f"{average.best_p:.3f} and {prototype.best_p:.3f}."
        )


def _numbers(measure: Measure, number: int) -> str:
    interval = f"{measure.low[number]:.3f} to {measure.high[number]:.3f}"
    chance = f"{measure.chance_low[number]:.3f} to {measure.chance_high[number]:.3f}"
    return (
        f"{measure.values[number]:>6.3f}  {interval:>14}  {chance:>14}  {measure.p[number]:>5.3f}"
    )


def _by_cluster(
    first: Array,
    second: Array,
    resamples: Resamples,
    groups: TwoGroups,
    texts: "pa.Table",
    layer: int,
    count: int | None,
) -> Iterator[str]:
    vectors = np.concatenate([first, second])
    clusters = group(vectors, max(count or 0, MOST_GROUPS)).with_count(count)
    if clusters.count == 1:
        yield f"Layer {layer}: all vectors are equal, so there are no clusters."
        return
    found = shares(clusters.labels, resamples)
    apart = found.divergence
    yield (
        f"Layer {layer}, {clusters.count} clusters (silhouette {clusters.silhouette:.2f}): the "
        f"shares of the groups differ by {apart.values[0]:.3f} bits (Jensen-Shannon; 95% interval "
        f"{apart.low[0]:.3f} to {apart.high[0]:.3f}, at random {apart.chance_low[0]:.3f} to "
        f"{apart.chance_high[0]:.3f}, p {apart.p[0]:.3f})."
    )
    names = [printable(one.name) for one in (groups.first, groups.second)]
    widths = [max(len(name), 6) for name in names]
    yield f"  {names[0]:>{widths[0]}}  {names[1]:>{widths[1]}}  a sentence near the cluster's mean"
    for number, row in enumerate(central(vectors, clusters.labels)):
        of_each = zip((found.first, found.second), widths, strict=True)
        own = [f"{part[number]:>{width}.1%}" for part, width in of_each]
        yield f"  {own[0]}  {own[1]}  {_sentence(texts, row)}"


def _sentences(
    first: Array,
    second: Array,
    resamples: Resamples,
    groups: TwoGroups,
    texts: "pa.Table",
    count: int,
) -> Iterator[str]:
    if not count:
        return
    found = changed(first, second, resamples)
    for one, rows in ((groups.first, found.first), (groups.second, found.second)):
        yield f"\n{printable(one.name)}: like its own sentences, unlike the others (mean cosines)"
        for row in rows[:count]:
            yield (
                f"  {found.own[row]:.3f} {found.other[row]:.3f}  {_sentence(texts, row)}"
                f"  {_origin(texts, row)}"
            )


def _sentence(texts: "pa.Table", row: int) -> str:
    values = (texts.column(name)[int(row)].as_py() for name in ("sentence", "start", "end"))
    return sentence_line(*values)


def _origin(texts: "pa.Table", row: int) -> str:
    carried = {name: texts.column(name)[int(row)].as_py() for name in texts.column_names[4:-1]}
    return origin(texts.column("source")[int(row)].as_py(), carried)
