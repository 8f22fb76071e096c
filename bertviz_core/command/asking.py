"""What `nearest` and `shift` share: their folder and layer, and an occurrence as a line."""

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bertviz_core.corpus.schema import COLUMNS, SOURCE
from bertviz_core.corpus.store import ROW, Occurrences

WIDTH = 100  # characters of a sentence


def add_folder(parser: argparse.ArgumentParser) -> None:
    """Ask for the folder, as `options.folder`."""
    parser.add_argument(
        "--in", dest="folder", metavar="FOLDER", type=Path, required=True,
        help="that `bert-explorer occurrences` has written",
    )  # fmt: skip


def chosen_layer(occurrences: Occurrences, layer: int | None) -> int:
    """The number of a layer; -1 is the model's last one, None the last that is kept."""
    if layer is None:
        return occurrences.layers[-1]
    number = layer + occurrences.job.model.layers if layer < 0 else layer
    occurrences.layer_name(number)  # refuses one that is not kept
    return number


def say_if_unfinished(occurrences: Occurrences) -> None:
    """Say how many parts are missing."""
    if occurrences.parts_missing:
        print(f"  The job is not finished; missing parts: {occurrences.parts_missing:,}")


def printable(text: str) -> str:
    """The text on one line, without what a terminal would run: colours, a new title, a bell."""
    return "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def sentence_line(row: Mapping[str, Any], width: int = WIDTH) -> str:
    """Put brackets around the word, and cut the sentence around it to about `width` characters."""
    sentence, start, end = row["sentence"], row["start"], row["end"]
    room = max(width - (end - start), 0)
    before = min(start, max(room // 2, room - (len(sentence) - end)))
    first, last = start - before, min(end + room - before, len(sentence))
    marked = f"{sentence[first:start]}[{sentence[start:end]}]{sentence[end:last]}"
    return f"{'…' if first else ''}{printable(marked)}{'…' if last < len(sentence) else ''}"


def occurrence_line(row: Mapping[str, Any]) -> str:
    """An occurrence: its sentence, its file, and its carried columns that have a value."""
    own = {*COLUMNS, ROW}
    known = [f"{key} {value}" for key, value in row.items() if value is not None and key not in own]
    origin = printable(", ".join([Path(row[SOURCE]).name, *known]))[:WIDTH]
    return f"{sentence_line(row)}  ({origin})"
