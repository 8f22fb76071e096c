"""A card answers one question: its numbers in a sentence, one chart, the program that prints them.

The chart is drawn from columns of the card's table, and so is what is said of it to those who
cannot see it: all three show the same numbers.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from bertviz_core.figures import drawing
from bertviz_core.figures.axes import label, layers, named, named_rows, titled
from bertviz_core.figures.colors import faint
from bertviz_core.figures.drawing import Figure
from bertviz_core.saved_files import NO_CHOICE, Columns, Made, values_of
from bertviz_core.views.parts import picture, table
from bertviz_core.views.view import Part, Picture, Program, View, flat

MAX_SAID = 8  # numbers of a column that are said one by one
MAX_APART = 100  # columns with room between them


class Chart(NamedTuple):
    """How columns of a card's table are drawn, named by the first column.

    "columns" stand beside each other, "stacked" on each other, "rows" lie below each other, and
    "curves" run over the whole numbers in the first column, mostly layers, or over `names`.
    """

    kind: Literal["columns", "stacked", "rows", "curves"]
    title: str  # of the numbers
    colors: Mapping[str, str | Sequence[str]]  # by column: one, or one for each row
    form: str = ".3~f"  # how a number is written
    line: float | None = None  # a dotted line at this number
    names: Sequence[str] = ()  # HTML, in place of the first column
    axis: Mapping[str, Any] = {}  # what else the axis of the numbers has
    at: int | None = None  # of curves, the layer in view, or any number of the first column
    stars: Sequence[int] = ()  # on the first curve, at these numbers of the first column
    # Below curves, from a column to another: what the area between them is, and its colour.
    band: tuple[str, str, str, str] | None = None


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
    if isinstance(chart, Chart):
        shown = chart_picture(columns, chart, name=name)
    else:
        shown = picture(chart, alt=alt, name=name)
    return View(
        finding,
        shown,
        flat([below]),
        table(columns, name=name, decimals=decimals, fold=fold),
        program,
        made=made,
    )


def chart_picture(columns: Columns, chart: Chart, *, name: str) -> Picture:
    """A chart of a table's columns, and the same in words."""
    return picture(drawn(columns, chart), alt=in_words(columns, chart), name=name)


def drawn(columns: Columns, chart: Chart) -> Figure:
    """The figure of a table's columns."""
    title, first = _first(columns)
    names = list(chart.names) or [label(str(one), 40) for one in first]
    lies, several = chart.kind == "rows", len(chart.colors) > 1
    traces = []
    if chart.band is not None:
        low, high = (_numbers(columns[key]) for key in chart.band[:2])
        said, shade = chart.band[2], faint(chart.band[3], 0.2)
        traces.append(drawing.band(np.array(first), low, high, said, shade))
    for number, (key, color) in enumerate(chart.colors.items()):
        values, said = _numbers(columns[key]), f"{label(key, 60)}: " * several
        if chart.axis.get("type") == "log":  # which has no 0
            values[values <= 0] = np.nan
        if chart.kind == "curves":
            at = "%{customdata}" if chart.names else f"{title} %{{x}}"
            point = f"{at}<br>{said}%{{y:{chart.form}}}"
            trace = drawing.line(np.array(first), values, key, point, color, number)
            if chart.stars and not number:
                best = np.isin(first, chart.stars)
                trace["marker"] |= {
                    "size": np.where(best, 15, 6).tolist(),
                    "symbol": np.where(best, "star", "circle").tolist(),
                    "opacity": 1,  # Plotly makes marks of several sizes paler
                }
            trace |= {"customdata": names} if chart.names else {}
            trace |= {"mode": "lines"} if len(first) > MAX_APART else {}
        else:
            point = f"%{{customdata}}<br>{said}%{{{'x' if lies else 'y'}:{chart.form}}}"
            trace = drawing.bars(values, point, color, across=lies)
            trace |= {"name": label(key, 60), "customdata": names}
        traces.append(trace)
    numbers = titled(chart.title, tickformat=chart.form, zeroline=True) | dict(chart.axis)
    across = drawing.vertical_line if lies else drawing.horizontal_line
    if chart.kind == "curves" and not chart.names:
        named_axis = layers(numbers=first) if title == "layer" else titled(title)
    else:
        named_axis = named_rows(names) if lies else named(names, range=[-0.6, len(names) - 0.4])
        named_axis |= {} if lies or chart.names else titled(title)
    return drawing.draw(
        traces,
        height=22 * max(len(names), 8) + 110 if lies else 360,
        legend=several,
        shapes=[
            *([] if chart.line is None else [across(chart.line)]),
            *([] if chart.at is None else [drawing.vertical_line(chart.at)]),
        ],
        barmode="relative" if chart.kind == "stacked" else "group",
        bargap=0.25 if len(names) <= MAX_APART else 0,
        xaxis=numbers if lies else named_axis,
        yaxis=named_axis if lies else numbers,
    )


def in_words(columns: Columns, chart: Chart) -> str:
    """A chart for those who cannot see it: every number, or of many the lowest and the highest."""
    title, first = _first(columns)
    said = []
    for key in chart.colors:
        numbers = _numbers(columns[key])
        places: Sequence[int] = range(len(numbers))
        if len(numbers) > MAX_SAID:
            low, high = (int(end(np.nan_to_num(numbers))) for end in (np.argmin, np.argmax))
            places, key = (low, high), f"{key}, lowest and highest"
        said.append(f"{key}: " + ", ".join(f"{first[i]} {numbers[i]:.3g}" for i in places))
    return f"{chart.title.capitalize()} by {title}. " + "; ".join(said) + "."


def _first(columns: Columns) -> tuple[str, list[Any]]:
    """The first column, which names the rows: its title and its values."""
    title, values = next(iter(columns.items()))
    return title, list(values_of(values))


def _numbers(column: Any) -> Any:
    return np.array(values_of(column), dtype=np.float32)
