"""How far is a word's use apart in two periods or two corpora?"""

import argparse
from typing import Any

import numpy as np

from bertviz_core.command import terminal
from bertviz_core.corpus.shift import (
    LOW_P,
    Resamples,
    Shift,
    TwoGroups,
    changed,
    resample,
    sentences_of,
    shift,
    two_groups,
    vectors_of,
)
from bertviz_core.corpus.store import Occurrences
from bertviz_core.showable import showable

SENTENCES = 5  # of each group


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The word, the folder, and what divides the occurrences."""
    add = parser.add_argument
    add("word", metavar="WORD", help="one of the words of the job; -: each line of standard input")
    layer = "layer of the printed sentences; the last one kept if left out"
    terminal.add_common(parser, layer=layer, rows="one row a layer, without the sentences")
    add("--by", metavar="CONDITION", action="append", required=True,
        help="'year<1950': against all others; given twice, two groups")  # fmt: skip


def run(options: argparse.Namespace) -> int:
    """Print the measures of each word at each layer, and the sentences that differ most."""
    words = terminal.lines_of([options.word])
    occurrences, layer = terminal.opened(options)
    rows: list[dict[str, Any]] = []
    for word in words:
        groups = two_groups(occurrences, word, options.by)
        sentences = sentences_of(occurrences, groups)
        resamples = resample(*sentences)
        vectors = (vectors_of(occurrences, groups, each) for each in occurrences.layers)
        measured = shift(vectors, resamples)
        columns = {"layer": occurrences.layers, **measured.columns()}
        rows += [
            {"word": word, **dict(zip(columns, row, strict=True))}
            for row in zip(*columns.values(), strict=True)
        ]
        if options.format == "table":
            job = occurrences.job
            print(f"“{showable(word)}” in {occurrences.folder}, with {job.model.title}:")
            _print_groups(groups, sentences)
            _print_layers(occurrences.layers, measured)
            _print_changed(occurrences, groups, resamples, layer)
    if options.format != "table":
        terminal.write_rows(rows, options.format)
    return 0


def _print_groups(groups: TwoGroups, sentences: tuple[list[str], list[str]]) -> None:
    for name, rows, count, texts in zip(
        groups.names, groups.rows, groups.counts, sentences, strict=True
    ):
        drawn = f", of which {len(rows):,} were drawn at random" if len(rows) < count else ""
        different = f"{len(set(texts)):,} different sentences"
        print(f"  {showable(name)}: {count:,} occurrences{drawn}; {different}")
    if groups.left_out:
        print(f"  Occurrences in neither group: {groups.left_out:,}")


def _print_layers(layers: tuple[int, ...], measured: Shift) -> None:
    print("\n       between /  average pairwise distance")
    print(f"layer     within   value  {'95% interval':^14}  {'at random':^14}      p")
    for layer, *row in zip(layers, *measured.columns().values(), strict=True):
        relative, value, *ends, p = (f"{number:.3f}" for number in row)
        interval = " to ".join(ends[:2])
        chance = " to ".join(ends[2:])
        print(f"{layer:>5}  {relative:>9}  {value:>6}  {interval:>14}  {chance:>14}  {p:>5}")
    print(
        "Between / within: how far two uses of different groups are apart, over how far two of one "
        f"group are. 1: no further. Compare words by this number.\n{LOW_P}\n"
        "At random: 90 of 100 random divisions of the same sentences lie there."
    )
    if len(layers) > 1:
        print(
            f"Lowest p of {len(layers)} layers, held against that of each random division: "
            f"{measured.best_p:.3f}."
        )


def _print_changed(
    occurrences: Occurrences, groups: TwoGroups, resamples: Resamples, layer: int
) -> None:
    numbers = np.concatenate(groups.rows)
    most_changed = changed(*vectors_of(occurrences, groups, layer), resamples)
    for group, order in zip(groups.names, (most_changed.first, most_changed.second), strict=True):
        first = order[:SENTENCES]
        print(
            f"\n{showable(group)}, layer {layer}: like its own sentences, unlike the others (mean "
            "cosines)"
        )
        rows = occurrences.take(numbers[first], [*occurrences.kinds]).to_pylist()
        for place, row in zip(first, rows, strict=True):
            cosines = f"{most_changed.own[place]:.3f} {most_changed.other[place]:.3f}"
            print(f"  {cosines}  {terminal.occurrence_line(row)}")
