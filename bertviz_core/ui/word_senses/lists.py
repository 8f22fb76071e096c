"""The sentences behind the points of the map."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration.measuring import percentiles_among
from bertviz_core.senses.trust import map_ranks
from bertviz_core.ui.html import caption
from bertviz_core.ui.show import code, folded_table, table
from bertviz_core.ui.take_home.view import file_name
from bertviz_core.ui.word_senses.chosen import chosen_number
from bertviz_core.ui.word_senses.occurrences import Mapped
from bertviz_core.views.percentiles import cosine_columns

PROGRAM_TABLE = "senses"  # the file of all occurrences
MOST_LISTED = 200  # occurrences in a program; it reads more from the table's CSV
# Columns of our own: one of a source with such a name is not to be mistaken for it.
_OWN = {
    *("number", "sense", "group", "x", "y", "sentence", "line", "start", "end", "rank on the map"),
    *("cosine similarity", "cosine similarity, percentile"),
    *("model", "word", "layer", "pooling", "corpus", "vectors of"),
}


def selected_sentences(mapped: Mapped, layer: int, selected: Sequence[int]) -> None:
    """List the sentences that were selected on the map.

    Args:
        mapped: The occurrences in view.
        layer: The layer whose groups are named.
        selected: Rows of the selected occurrences, from 0.
    """
    if len(selected) < 2:  # a single one stands beside the map
        return
    labels = mapped.groups(layer).labels
    st.text(f"{len(selected):,} selected")
    table(
        {
            "number": [row + 1 for row in selected],
            **_senses(mapped, selected),
            "group": labels[list(selected)] + 1,
            "sentence": [mapped.occurrences[row].sentence for row in selected],
        },
        name="senses-selected",
        of=mapped.made(layer),
    )


def nearest(mapped: Mapped, layer: int, points: Array) -> None:
    """List the occurrences nearest to the chosen one."""
    number, count = chosen_number(mapped), len(mapped.occurrences)
    rows, cosines = senses.nearest_occurrences(mapped.at(layer), number - 1)
    percentiles, pairs = percentiles_among(mapped.at(layer), cosines)
    table(
        {
            "number": [row + 1 for row in rows],
            **_senses(mapped, rows),
            **cosine_columns("cosine similarity", cosines, percentiles),
            "rank on the map": map_ranks(points, number - 1)[list(rows)],
            "sentence": [mapped.occurrences[row].sentence for row in rows],
            **_further(mapped, rows),
        },
        name=f"senses-nearest-{number}",
        of=mapped.made(layer),
    )
    caption(
        "Nearest to number {number}. Percentiles are among {pairs} pairs of occurrences of this "
        "word{drawn}, whatever their sense.",
        method="percentiles-among-occurrences",
        number=number,
        pairs=f"{pairs:,}",
        drawn="" if pairs == count * (count - 1) // 2 else ", drawn at random",
    )


def all_occurrences(mapped: Mapped, layer: int, points: Array) -> None:
    """Offer every occurrence with its point on the map."""
    occurrences = mapped.occurrences
    folded_table(
        f"All {len(occurrences):,} occurrences",
        lambda: {
            "number": range(1, len(occurrences) + 1),
            **_senses(mapped, range(len(occurrences))),
            "group": mapped.groups(layer).labels + 1,
            "x": points[:, 0],
            "y": points[:, 1],
            "sentence": [occurrence.sentence for occurrence in occurrences],
            "line": [occurrence.line for occurrence in occurrences],
            "start": [occurrence.start for occurrence in occurrences],
            "end": [occurrence.end for occurrence in occurrences],
            **_further(mapped, range(len(occurrences))),
        },
        key="occurrence-numbers",
        name=PROGRAM_TABLE,
        of=mapped.made(layer),
    )


def show_code(bert: Bert, mapped: Mapped, layer: int, kind: str, points: Array) -> None:
    """Offer the code that prints the map and the scores, where it prints the same numbers."""
    if not mapped.printed_by(bert):
        return
    code(
        "senses/senses",
        bert,
        **program_words(mapped, layer),
        pooling=mapped.key.pooling,
        layer=layer,
        map_of=kind,
        group_count=mapped.group_count,
        arrays=lambda: _arrays(mapped, layer, points),
    )


def _arrays(mapped: Mapped, layer: int, points: Array) -> dict[str, Any]:
    """The vectors at every layer, in a form that this page opens again, and the map."""
    rows = mapped.occurrences
    return {
        "vectors": mapped.vectors,
        "layers": np.array(mapped.layers),
        "sentence": [one.sentence for one in rows],
        "start": [one.start for one in rows],
        "end": [one.end for one in rows],
        "word": np.array(mapped.word),
        "sense": [one.sense or "" for one in rows],
        "pooling": np.array(mapped.key.pooling),
        "group": mapped.groups(layer).labels + 1,
        "x": points[:, 0],
        "y": points[:, 1],
    }


def program_words(mapped: Mapped, layer: int) -> dict[str, Any]:
    """The occurrences as a program lists them, or the file that it reads where they are many."""
    words = [(found.sense, found.sentence, found.start, found.end) for found in mapped.occurrences]
    many = len(words) > MOST_LISTED
    file = f"{file_name(PROGRAM_TABLE, mapped.made(layer))}.csv" if many else None
    return {"words": [] if many else words, "words_file": file}


def _senses(mapped: Mapped, rows: Sequence[int]) -> dict[str, Any]:
    """The column of labels, where the source has labels."""
    if not mapped.labelled:
        return {}
    return {"sense": [mapped.occurrences[row].sense or "" for row in rows]}


def _further(mapped: Mapped, rows: Sequence[int]) -> dict[str, Any]:
    """The columns that a file or a corpus has beside, named as there, or not to be mistaken."""
    return {
        name if name not in _OWN else f"{name} (of the source)": [values[row] for row in rows]
        for name, values in mapped.columns.items()
    }
