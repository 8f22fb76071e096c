"""What the commands share: common options, standard input, and how rows are printed."""

import argparse
import csv
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bertviz_core.contextual.marks import around
from bertviz_core.corpus.part_files import COLUMNS, SOURCE, local
from bertviz_core.corpus.store import ROW, Occurrences
from bertviz_core.decoding import decoded_lines
from bertviz_core.errors import UserInputError
from bertviz_core.saved_files import as_text
from bertviz_core.showable import showable
from bertviz_core.tokens.tokenized_text import without_lone_surrogates

WIDTH = 100  # characters of a sentence
NUMBER: dict[str, Any] = {
    "metavar": "COLUMN", "action": "append", "default": [],
    "help": "read its texts as numbers: 1850 of “c. 1850”, -44 of “44 BC”; can be repeated",
}  # fmt: skip


def add_common(parser: argparse.ArgumentParser, *, layer: str, rows: str) -> None:
    """Ask for the folder, a layer and how to write; `rows` says what a program gets."""
    parser.add_argument(
        "--in", dest="folder", metavar="FOLDER", type=local, required=True,
        help="a folder that `bert-explorer occurrences` has written",
    )  # fmt: skip
    parser.add_argument("--layer", type=int, help=layer)
    parser.add_argument(
        "--format", choices=("table", "csv", "json"), default="table",
        help=f"table: for reading; csv, json: for a program, {rows}",
    )  # fmt: skip
    parser.add_argument("--number", **NUMBER)


def opened(options: argparse.Namespace) -> tuple[Occurrences, int]:
    """Open the folder, and choose a layer: -1 is the model's last one, None the last kept."""
    import pyarrow.compute as pc

    occurrences, layer = Occurrences.open(options.folder, options.number), options.layer
    if layer is None:
        layer = occurrences.layers[-1]
    elif layer < 0:
        layer += occurrences.job.model.layers
    occurrences.layer_name(layer)  # refuses one that is not kept
    if missing := occurrences.parts_missing:
        print(f"  The job is not finished; missing parts: {missing:,}", file=sys.stderr)
    for name in options.number:
        numbers = occurrences.take(occurrences.rows(), [name]).column(0)
        low, high = pc.min_max(numbers).as_py().values()
        if low is None:
            raise UserInputError(f"No text in the column “{name}” has a whole number.")
        none = f"none in {numbers.null_count:,} of {len(numbers):,} occurrences"
        print(f"  Numbers of “{name}”: from {low} to {high}; {none}", file=sys.stderr)
    return occurrences, layer


def lines_of(given: Sequence[str]) -> list[str]:
    """What was given, with the lines of standard input in place of `-`."""
    from_input: list[str] = []
    if "-" in given:
        all_lines, guess = decoded_lines(sys.stdin.buffer.read(), "Standard input")
        from_input = [line.strip() for line in all_lines if line.strip()]
        if guess:
            print(guess, file=sys.stderr)
    lines = [line for one in given for line in (from_input if one == "-" else [one])]
    if not lines:
        raise UserInputError("Standard input is empty; expected at least one line.")
    return [without_lone_surrogates(line) for line in lines]  # of bytes that are not text


def write_rows(rows: Sequence[Mapping[str, Any]], how: str) -> None:
    """Print rows as JSON, or as CSV that neither a terminal nor a spreadsheet runs."""
    plain = [{name: _plain(value) for name, value in row.items()} for row in rows]
    if how == "json":
        print(json.dumps(plain, indent=1, default=str))
    elif plain:
        cells = [list(plain[0]), *(row.values() for row in plain)]
        csv.writer(sys.stdout, lineterminator="\n").writerows(map(_cell, row) for row in cells)


def _plain(value: Any) -> Any:
    """A number of NumPy as one of Python; None where it is not finite, which JSON has not."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: Any) -> Any:
    return as_text(showable(value)) if isinstance(value, str) else value


def occurrence_line(row: Mapping[str, Any]) -> str:
    """An occurrence: its sentence, cut around the word, its file, and its carried columns."""
    before, word, after = around(row["sentence"], row["start"], row["end"], WIDTH)
    carried = [
        f"{name} {value}"
        for name, value in row.items()
        if value is not None and name not in (*COLUMNS, ROW)
    ]
    origin = showable(", ".join([row[SOURCE], *carried]))[:WIDTH]
    return f"{showable(f'{before}[{word}]{after}')}  ({origin})"
