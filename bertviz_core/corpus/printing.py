"""Texts of a corpus as lines of a terminal."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bertviz_core.corpus.schema import COLUMNS, SOURCE

WIDTH = 100  # characters of a sentence


def printable(text: str) -> str:
    """The text on one line, without what a terminal would run: colours, a new title, a bell."""
    return "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in text
    )


def sentence_line(sentence: str, start: int, end: int, width: int = WIDTH) -> str:
    """Put brackets around the word, and cut the sentence around it to about `width` characters."""
    room = max(width - (end - start), 0)
    before = min(start, max(room // 2, room - (len(sentence) - end)))
    first, last = start - before, min(end + room - before, len(sentence))
    marked = f"{sentence[first:start]}[{sentence[start:end]}]{sentence[end:last]}"
    return f"{'…' if first else ''}{printable(marked)}{'…' if last < len(sentence) else ''}"


def occurrence_line(row: Mapping[str, Any]) -> str:
    """A row of a corpus: its sentence, its file, and its carried columns that have a value."""
    own = {*COLUMNS, "row"}
    known = [f"{key} {value}" for key, value in row.items() if value is not None and key not in own]
    origin = printable(", ".join([Path(row[SOURCE]).name, *known]))[:WIDTH]
    return f"{sentence_line(row['sentence'], row['start'], row['end'])}  ({origin})"
