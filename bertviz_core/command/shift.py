"""How far is a word's use apart in two periods or two corpora?"""

import argparse
from typing import Any

import numpy as np

from bertviz_core.command.asking import (
    add_folder,
    add_format,
    chosen_layer,
    lines_of,
    number,
    occurrence_line,
    printable,
    say_if_unfinished,
    write_rows,
)
from bertviz_core.corpus.schema import COLUMNS
from bertviz_core.corpus.shift import LOW_P, Shift, changed, resample, shift
from bertviz_core.corpus.store import Occurrences
from bertviz_core.corpus.two_groups import sentences_of, two_groups, vectors_of

SENTENCES = 5  # of each group


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The word, the folder, and what divides the occurrences."""
    add = parser.add_argument
    add("word", metavar="WORD", help="one of the words of the job; -: each line of standard input")
    add_folder(parser)
    add("--by", metavar="CONDITION", action="append", required=True,
        help="'year<1950': against all others; given twice, each is a group")  # fmt: skip
    add("--layer", type=int, help="for the sentences; the last one kept if left out")
    add_format(parser, "one row a layer, without the sentences")


def run(options: argparse.Namespace) -> int:
    """Print the measures of each word at each layer, and the sentences that differ most."""
    words = lines_of([options.word])
    occurrences = Occurrences.open(options.folder)
    layer = chosen_layer(occurrences, options.layer)
    say_if_unfinished(occurrences)
    if options.format == "table":
        for word in words:
            _print(occurrences, word, options.by, layer)
    else:
        write_rows([row for word in words for row in _rows(occurrences, word, options.by)],
                   options.format)  # fmt: skip
    return 0


def _rows(occurrences: Occurrences, word: str, by: list[str]) -> list[dict[str, Any]]:
    """The measures of a word, a row for each layer."""
    groups = two_groups(occurrences, word, by)
    vectors = (vectors_of(occurrences, groups, each) for each in occurrences.layers)
    columns = shift(vectors, resample(*sentences_of(occurrences, groups))).columns()
    return [
        {"word": word, "layer": layer, **dict(zip(columns, map(number, row), strict=True))}
        for layer, *row in zip(occurrences.layers, *columns.values(), strict=True)
    ]


def _print(occurrences: Occurrences, word: str, by: list[str], layer: int) -> None:
    """Print all of a word for reading."""
    groups = two_groups(occurrences, word, by)
    sentences = sentences_of(occurrences, groups)
    resamples = resample(*sentences)
    names = [printable(one.name) for one in (groups.first, groups.second)]
    print(f"“{printable(word)}” in {occurrences.folder}, with {occurrences.job.model.title}:")
    for name, one, texts in zip(names, (groups.first, groups.second), sentences, strict=True):
        count = len(one.rows)
        drawn = f", of which {count:,} were drawn at random" if count < one.count else ""
        print(
            f"  {name}: {one.count:,} occurrences{drawn}; {len(set(texts)):,} different sentences"
        )
    if groups.left_out:
        print(f"  Occurrences in neither group: {groups.left_out:,}")
    vectors = (vectors_of(occurrences, groups, each) for each in occurrences.layers)
    _print_layers(occurrences.layers, shift(vectors, resamples))
    columns = [*COLUMNS, *(each.name for each in occurrences.carried)]
    numbers = np.concatenate([groups.first.rows, groups.second.rows])
    found = changed(*vectors_of(occurrences, groups, layer), resamples)
    for name, own in zip(names, (found.first, found.second), strict=True):
        print(f"\n{name}, layer {layer}: like its own sentences, unlike the others (mean cosines)")
        shown = own[:SENTENCES]
        for place, row in zip(
            shown, occurrences.take(numbers[shown], columns).to_pylist(), strict=True
        ):
            print(f"  {found.own[place]:.3f} {found.other[place]:.3f}  {occurrence_line(row)}")


def _print_layers(layers: tuple[int, ...], measured: Shift) -> None:
    print("\n       between /  average pairwise distance")
    print(f"layer     within   value  {'95% interval':^14}  {'at random':^14}      p")
    for layer, *row in zip(layers, *measured.columns().values(), strict=True):
        relative, value, *ends, p = (f"{number:.3f}" for number in row)
        interval, chance = " to ".join(ends[:2]), " to ".join(ends[2:])
        print(f"{layer:>5}  {relative:>9}  {value:>6}  {interval:>14}  {chance:>14}  {p:>5}")
    print(
        "Between / within: how far two uses of different groups are apart, over how far two of one "
        "group are. 1: no further. Compare words by this number."
    )
    print(LOW_P)
    print("At random: 90 of 100 random divisions of the same sentences lie there.")
    if len(layers) > 1:
        best = f"{measured.best_p:.3f}"
        print(
            f"Lowest p of {len(layers)} layers, held against that of each random division: {best}."
        )
