"""The occurrence that was clicked, or chosen by its number: its sentence and its nearest ones."""

from typing import Any

import streamlit as st

from bertviz_core.contextual.marks import around
from bertviz_core.figures.senses import SIGNS, series_marks
from bertviz_core.senses import nearest_occurrences
from bertviz_core.ui import slots
from bertviz_core.ui.html import caption, verdict
from bertviz_core.ui.inputs import BOUND, is_number, reset_unless
from bertviz_core.ui.word_senses.occurrences import Mapped

KEY = "near"
MOST_READ = 5  # nearest ones that are shown here; the section has all of them
READ, GLANCE = 400, 90  # characters shown of the sentence, and of each of its nearest ones


def chosen_number(mapped: Mapped) -> int:
    """Number of the chosen occurrence, from 1; the first one where it was out of range."""
    last = len(mapped.occurrences)
    reset_unless(KEY, lambda kept: is_number(kept) and 1 <= kept <= last, 1)
    return int(st.session_state.get(KEY, 1))


def chosen_occurrence(mapped: Mapped, layer: int, series: list[str]) -> None:
    """Ask for an occurrence, and show its sentence and its nearest ones.

    Args:
        mapped: The occurrences in view.
        layer: The layer in view.
        series: Of each occurrence the sense or group that it has on the map.
    """
    chosen_number(mapped)
    # No default is given, because a click on the map may set the value beforehand.
    with slots.part("slim-near"):
        number = st.slider("Occurrence", 1, len(mapped.occurrences), key=KEY, **BOUND)
    row = number - 1
    rows, cosines = nearest_occurrences(mapped.at(layer), row)
    marks = series_marks(series)
    verdict(
        "<p><b>{number} ·</b> " + _line(0, marks[series[row]]) + "</p>",
        number=number,
        **_read(mapped, row, series, 0),
    )
    sense = mapped.occurrences[row].sense
    caption(
        "Its nearest by cosine at layer {at_layer}"
        + ("." if sense is None else ": <b>{same}</b> of {count} have its sense."),
        method="nearest-occurrences",
        at_layer=layer,
        same=sum(mapped.senses[other] == sense for other in rows),
        count=len(rows),
    )
    lines: list[str] = []
    values: dict[str, Any] = {}
    for i, (other, cosine) in enumerate(zip(rows[:MOST_READ], cosines, strict=False), start=1):
        lines.append(f"<p>{{cosine{i}}} " + _line(i, marks[series[other]]) + "</p>")
        values |= _read(mapped, other, series, i) | {f"cosine{i}": f"{cosine:.2f}"}
    verdict("".join(lines), **values)


def _line(i: int, mark: tuple[str, str]) -> str:
    """Our HTML for an occurrence on the page: the sign of its series, and its sentence."""
    color, symbol = mark
    return (
        f'<span style="color: {color}">{SIGNS[symbol]}</span> <small>{{series{i}}}</small> '
        f"{{before{i}}}<b>{{word{i}}}</b>{{after{i}}}"
    )


def _read(mapped: Mapped, row: int, series: list[str], i: int) -> dict[str, Any]:
    """The values of a line."""
    one = mapped.occurrences[row]
    before, word, after = around(one.sentence, one.start, one.end, GLANCE if i else READ)
    return {f"series{i}": series[row], f"before{i}": before, f"word{i}": word, f"after{i}": after}
