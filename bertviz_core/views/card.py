"""A card answers one question: its numbers in a sentence, one chart, the program that prints them.

The chart is drawn from columns of the card's table, and so is what is said of it to those who
cannot see it: all three show the same numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from bertviz_core.figures import drawing
from bertviz_core.figures.colors import faint
from bertviz_core.figures.drawing import Figure, label, layers, named, titled
from bertviz_core.saved_files import NO_CHOICE, Columns, Made, values_of
from bertviz_core.views.parts import Part, Picture, Program
from bertviz_core.views.view import View, flat, picture, table

MAX_LISTED = 8  # numbers of a column that a description has one by one
MAX_APART = 100  # columns with room between them
HEIGHT = 360


class Curves(NamedTuple):
    """Columns of a table as curves over the whole numbers in its first column, mostly layers."""

    title: str  # of the numbers
    colors: Mapping[str, str]  # by column
    form: str = ".3~f"  # how a number is written
    axis: Mapping[str, Any] = {}  # what else the axis of the numbers has
    line: float | None = None  # a dotted line at this number
    at: int | None = None  # the layer in view, or any number of the first column
    stars: Sequence[int] = ()  # on the first curve, at these numbers of the first column
    # Below the curves, from a column to another: what the area between them is, and its colour.
    band: tuple[str, str, str, str] | None = None

    def figure(self, columns: Columns) -> Figure:
        title, first = _first(columns)
        numbers = np.array(first)
        traces = []
        if self.band is not None:
            low, high, name, color = self.band
            area = _numbers(columns[low]), _numbers(columns[high])
            traces.append(drawing.band(numbers, *area, name, faint(color, 0.2)))
        for number, (key, color) in enumerate(self.colors.items()):
            values = _numbers(columns[key])
            if self.axis.get("type") == "log":  # which has no 0
                values[values <= 0] = np.nan
            hover = f"{title} %{{x}}<br>%{{y:{self.form}}}"
            traces.append(drawing.line(numbers, values, key, hover, color, number))
            if self.stars and not number:
                traces[-1]["marker"] |= _starred(np.isin(numbers, self.stars))
        lines = [] if self.line is None else [drawing.horizontal_line(self.line)]
        lines += [] if self.at is None else [drawing.vertical_line(self.at)]
        return drawing.draw(
            traces,
            height=HEIGHT,
            legend=len(self.colors) > 1,
            shapes=lines,
            xaxis=layers(numbers=first) if title == "layer" else titled(title),
            yaxis=_axis(self.title, self.form, self.axis),
        )


class Bars(NamedTuple):
    """Columns of a table as upright bars: those of a row beside each other, or `stacked`."""

    title: str  # of the numbers
    colors: Mapping[str, str | Sequence[str]]  # by column: one, or one for each row
    form: str = ".3~f"  # how a number is written
    names: Sequence[str] = ()  # of the rows, HTML, in place of the first column
    stacked: bool = False

    def figure(self, columns: Columns) -> Figure:
        title, first = _first(columns)
        names = list(self.names) or [label(str(one), 40) for one in first]
        traces = []
        for key, color in self.colors.items():
            before = "%{fullData.name}: " if len(self.colors) > 1 else ""
            hover = f"%{{customdata}}<br>{before}%{{y:{self.form}}}"
            bars = drawing.bars(_numbers(columns[key]), hover, color)
            traces.append(bars | {"name": label(key, 60), "customdata": names})
        across = named(names, range=[-0.6, len(names) - 0.4])
        return drawing.draw(
            traces,
            height=HEIGHT,
            legend=len(self.colors) > 1,
            barmode="relative" if self.stacked else "group",
            bargap=0.25 if len(names) <= MAX_APART else 0,
            xaxis=across if self.names else across | titled(title),
            yaxis=_axis(self.title, self.form),
        )


Chart = Curves | Bars


def card(
    finding: Part | Iterable[Part],
    *,
    name: str,
    columns: Columns,
    chart: Chart | Figure,
    program: Program | Sequence[Program],
    alt: str = "",
    below: Part | Iterable[Part | Iterable[Part]] = (),
    decimals: int = 3,
    fold: str = "Table",
    made: Made = NO_CHOICE,
) -> View:
    """Make a card: `finding`, `chart` of `columns`, what else is said `below`, table and program.

    A figure of any other kind takes the place of a chart, with `alt`.
    """
    if isinstance(chart, Figure):
        drawn = picture(chart, alt=alt, name=name)
    else:
        drawn = chart_picture(columns, chart, name=name)
    return View(
        finding,
        drawn,
        flat([below]),
        table(columns, name=name, decimals=decimals, fold=fold),
        program,
        made=made,
    )


def chart_picture(columns: Columns, chart: Chart, *, name: str) -> Picture:
    """A chart of a table's columns, and the same in words."""
    return picture(chart.figure(columns), alt=description(columns, chart), name=name)


def description(columns: Columns, chart: Chart) -> str:
    """A chart for those who cannot see it: every number, or of many the lowest and the highest."""
    title, first = _first(columns)
    sentences = []
    for key in chart.colors:
        numbers = _numbers(columns[key])
        rows: Sequence[int] = range(len(numbers))
        if len(numbers) > MAX_LISTED:
            rows = [int(end(np.nan_to_num(numbers))) for end in (np.argmin, np.argmax)]
            key += ", lowest and highest"
        sentences.append(f"{key}: " + ", ".join(f"{first[i]} {numbers[i]:.3g}" for i in rows))
    return f"{chart.title.capitalize()} by {title}. " + "; ".join(sentences) + "."


def _first(columns: Columns) -> tuple[str, list[Any]]:
    """The first column, which names the rows: its title and its values."""
    title, values = next(iter(columns.items()))
    return title, list(values_of(values))


def _numbers(column: Any) -> Any:
    return np.array(values_of(column), dtype=np.float32)


def _axis(title: str, form: str, more: Mapping[str, Any] = {}) -> dict[str, Any]:
    return titled(title, tickformat=form, zeroline=True) | dict(more)


def _starred(best: Any) -> dict[str, Any]:
    """The marks of a curve, stars where `best` is true."""
    return {
        "size": np.where(best, 15, 6).tolist(),
        "symbol": np.where(best, "star", "circle").tolist(),
        "opacity": 1,  # Plotly makes marks of several sizes paler
    }
