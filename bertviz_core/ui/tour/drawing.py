"""A guess that is drawn: a share of a bar, a point on a plane, or words in an order.

In the address it is "0.42", "0.42_0.30" or "dogs_pups_cat". The truth is then drawn beside it, on
the chart that settles the stop.
"""

import math
import re
from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import streamlit as st

from bertviz_core.claims import Verdict
from bertviz_core.claims.tables import CLOSEST
from bertviz_core.figures.colors import MARK
from bertviz_core.ui import html
from bertviz_core.ui.tour.stops import Drawing

KEY = "drawing"
LONGEST = 200  # characters of a guess in the address
LABEL = {"text": "your guess", "bgcolor": MARK, "font": {"color": "#000000"}}


class Drawn(NamedTuple):
    """A guess beside the truth."""

    off: str  # in words
    said: str  # a sentence of both, to be filled in with `values`
    values: dict[str, str]
    beside: dict[str, Any]  # what is put on the layout of the chart


def closest(drawing: Drawing, found: Verdict) -> list[str]:
    """The words of a verdict that are put in order, the nearest first."""
    return str(found.numbers.get(drawing.truth[0], "")).split()


def ask(drawing: Drawing, words: list[str], on_drawn: Callable[[str], None]) -> None:
    """Show what is drawn on, without any mark; `on_drawn` gets the guess."""

    def drawn() -> None:
        guess = st.session_state[KEY]["drawn"]
        if isinstance(guess, str) and read(drawing, guess):
            on_drawn(guess)

    given = {"axes": drawing.axes, "words": words}
    box = '<div class="bx bx-drawing"></div>'
    html.component("drawing", KEY, box, given, on_drawn_change=drawn)


def read(drawing: Drawing | None, guess: str) -> list[str]:
    """The parts of a guess; none if something else was said."""
    parts = guess.split("_")
    if drawing is None or len(guess) > LONGEST or len(parts) != (len(drawing.axes) or CLOSEST):
        return []
    numbers = all(re.fullmatch(r"0\.\d\d|1\.00", part) for part in parts)
    return parts if numbers or not drawing.axes else []


def compared(drawing: Drawing | None, guess: str, found: Verdict) -> Drawn | None:
    """A guess beside the truth; None without one, or where the model has no such numbers."""
    parts = read(drawing, guess)
    if drawing is None or not parts or any(name not in found.numbers for name in drawing.truth):
        return None
    if not drawing.axes:
        there = closest(drawing, found)
        return _order(parts, there) if sorted(parts) == sorted(there) else None
    made = [float(part) for part in parts]
    numbers = [float(found.numbers[name]) for name in drawing.truth]
    return _share(made[0], numbers[0]) if len(made) == 1 else _point(made, numbers)


def _share(made: float, there: float) -> Drawn:
    points = abs(round(100 * made) - round(100 * there))
    frame = {"type": "rect", "x0": -0.44, "x1": 0.44, "y0": 1 - made, "y1": 1}
    edge = {"x": 0, "y": 1 - made, "showarrow": False, **LABEL}
    return Drawn(
        off := f"{points} points off",
        "You said <b>{guess}</b>, it is <b>{there}</b>: <b>{off}</b>",
        {"guess": f"{made:.0%}", "there": f"{there:.0%}", "off": off},
        {"shapes": [{**frame, "line": {"color": MARK, "width": 3, "dash": "dash"}}],
         "annotations": [edge]},
    )  # fmt: skip


def _point(made: list[float], there: list[float]) -> Drawn:
    arrow = {
        **dict(zip(("ax", "ay", "x", "y"), [*made, *there], strict=True)),
        **{"axref": "x", "ayref": "y", "showarrow": True, **LABEL},
        **{"arrowhead": 2, "arrowwidth": 2, "arrowcolor": MARK},
    }
    both = {"guess": made, "there": there}
    return Drawn(
        off := f"{math.dist(made, there):.2f} away",
        "You said <b>{guess}</b>, it is <b>{there}</b>: <b>{off}</b>",
        {name: "{:.2f} and {:.2f}".format(*one) for name, one in both.items()} | {"off": off},
        {"annotations": [arrow]},
    )


def _order(made: list[str], there: list[str]) -> Drawn:
    """How many pairs are in the right order, as Kendall counts them (1938); bars from the top."""
    pairs = list(combinations(there, 2))
    right = sum(made.index(near) < made.index(far) for near, far in pairs)
    ranks = [
        # Row 0 is the query's own.
        {**LABEL, "x": 0, "xanchor": "left", "y": row, "showarrow": False}
        | {"text": f"your {made.index(word) + 1}"}
        for row, word in enumerate(there, start=1)
    ]
    return Drawn(
        off := f"{right} of {len(pairs)} pairs in the right order",
        "You have <b>{off}</b>",
        {"off": off, "guess": ", ".join(made), "there": ", ".join(there)},
        {"annotations": ranks},
    )
