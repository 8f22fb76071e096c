"""The one way to make a figure: from plain dictionaries, in one step; its traces and its axes."""

from base64 import b64encode
from collections.abc import Sequence
from html import escape, unescape
from typing import Any
from unicodedata import east_asian_width

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from bertviz_core.errors import shortened
from bertviz_core.figures import colors
from bertviz_core.showable import showable

Trace = dict[str, Any]
Axis = dict[str, Any]
Numbers = NDArray[np.number[Any]]

MAX_CELLS = 100_000
MAX_NAMED = 64  # tokens on a horizontal axis
MAX_UPRIGHT = 25  # tokens whose labels are upright on a narrow screen
PACKED = {"|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<f4", "<f8"}  # numbers that plotly.js reads
INSIDE = (dict, list, tuple, np.ndarray)  # parts of a figure that hold other parts, or numbers
FILLS = 470  # pixels that a projector of 1280 x 720 has for a picture, below its finding
DOTTED = {"color": colors.MUTED, "dash": "dot", "width": 1.5}  # a line to compare with


class Figure(go.Figure):  # type: ignore[misc]  # Plotly has no types
    """A figure of plain dictionaries; they become Plotly's objects only when somebody asks.

    The app only sends them. The template is shared: Plotly would check and copy it for each figure,
    which takes longer than all the rest of most figures.
    """

    template: dict[str, Any] = colors.TEMPLATES[False, False]
    large = False  # whether letters, lines, marks and margins are large, for a projector
    stretches = False  # whether a square becomes as wide as the screen where it is large
    played: Sequence[Trace] = ()  # its frames; Plotly would check its own like whole figures

    def __init__(self, spec: Trace) -> None:
        """Keep `data`, `layout` and `frames` of a specification; do not change them afterwards."""
        # Not validated: that takes three times as long as the rest of a page's figures.
        # tests/views/test_pictures.py validates every figure.
        self.__dict__ |= {"_data": spec["data"], "_layout": spec["layout"], "_validate": False}
        self.played = spec.get("frames", ())

    def __getattr__(self, name: str) -> Any:
        """Make the objects of Plotly's figure; then look there."""
        if "_data_objs" in self.__dict__ or "_data" not in self.__dict__:
            raise AttributeError(name)
        # Plotly 7.1 uses the pandas in sys.modules, even while another thread imports it
        # (`to_scalar_or_list` in _plotly_utils/basevalidators.py). It takes 0.4 s.
        import pandas as pd  # noqa: F401

        super().__init__({"data": self._data, "layout": self._layout}, _validate=False)
        return getattr(self, name)

    def to_dict(self) -> dict[str, Any]:
        """What is sent, in plain values and base64; it is not to be changed."""
        # Plotly 7.1 copies every array twice: thirteen curves become JSON in 1.2 ms instead of 0.1.
        spec: dict[str, Any] = _packed({"data": self._data, "layout": self._layout})
        if self.large:
            spec, height = _larger(spec), self._layout["height"]
            if spec["layout"].get("legend", {}).get("y") == _below(height, self._data):
                spec["layout"]["legend"]["y"] = _below(
                    spec["layout"]["height"], self._data, colors.LARGER
                )
            if self.stretches:
                spec["layout"]["yaxis"] |= {"scaleanchor": False}
        spec["layout"]["template"] = self.template
        if self.played:
            spec["frames"] = _packed(self.played)
        return spec


def _packed(part: Any) -> Any:
    """A part of a figure, one of `INSIDE`, with its arrays in the base64 that plotly.js reads."""
    if isinstance(part, dict):
        return {key: _packed(one) if isinstance(one, INSIDE) else one for key, one in part.items()}
    if isinstance(part, list | tuple):  # most lists hold thousands of texts, packed as they come
        return [_packed(one) if isinstance(one, INSIDE) else one for one in part]
    array: NDArray[Any] = part
    if array.dtype.kind in "iu" and array.size:
        ends = (np.min_scalar_type(end) for end in (array.min(), array.max()))
        array = array.astype(np.promote_types(*ends))  # plotly.js reads no integers of 8 bytes
    if array.dtype.str not in PACKED:
        return array.tolist()
    packed = {"dtype": array.dtype.str[1:], "bdata": b64encode(array.tobytes()).decode()}
    return packed if array.ndim == 1 else packed | {"shape": ", ".join(map(str, array.shape))}


def _larger(part: Any, name: str = "") -> Any:
    """A part of a figure in the sizes for a projector; `name` is its name in the part around it."""
    if isinstance(part, list | tuple):
        return [_larger(each, name) if isinstance(each, dict) else each for each in part]
    if not isinstance(part, dict):
        return part
    larger = {key: _larger(value, key) for key, value in part.items()}
    grows = {
        "layout": {"height": colors.LARGER},
        "margin": dict.fromkeys("lrtb", colors.LARGER),
        "line": {"width": colors.THICKER},
        "marker": {"size": colors.THICKER},
        "annotations": dict.fromkeys(("xshift", "yshift"), colors.LARGER),
    }.get(name, {"size": colors.LARGER} if name.endswith("font") else {})
    for key, times in grows.items():
        size = larger.get(key)
        if isinstance(size, list):  # one a point
            larger[key] = [round(times * one, 1) for one in size]
        elif size is not None:
            larger[key] = round(times * size, 1)
    if name == "layout" and larger["height"] > FILLS:  # taller ones are scrolled in any case
        larger["height"] = max(part["height"], FILLS)
    return larger


def _below(height: float, traces: Sequence[Trace], larger: float = 1) -> float:
    """The `y` of a legend that begins 64 pixels below the chart, with rows of 19 pixels."""
    rows = sum("name" in one for one in traces)
    return -64 * larger / max(height - (98 + 19 * rows) * larger, 64)


def draw(
    traces: Sequence[Trace],
    *,
    height: int,
    legend: bool | Trace = False,
    frames: Sequence[Trace] = (),
    **layout: Any,
) -> Figure:
    """Make a figure of plain dictionaries in the words of plotly.js.

    `legend` is drawn below the horizontal axis; a dictionary changes its look. `frames` come from
    `paths.layer_frames`. `layout` is what differs from its template. Text is HTML: pass it through
    `label` first. What is in a template of hovers, %{x} is put in place: text of people is not.
    """
    layout |= {"height": height, "showlegend": bool(legend)}
    if legend:
        layout["legend"] = {"y": _below(height, traces)} | ({} if legend is True else legend)
    data = [{name: part for name, part in one.items() if part is not None} for one in traces]
    # An empty template, since a figure without one gets Plotly's, which is large.
    return Figure({"data": data, "layout": layout | {"template": {}}, "frames": frames})


def vertical_line(x: float) -> Trace:
    """A shape: a line from the lower to the upper edge of the first panel."""
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "y domain", "line": DOTTED}


def horizontal_line(y: float) -> Trace:
    """A shape: a line across the figure, at `y`."""
    return {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": DOTTED}


def outline(
    columns: tuple[float, float], rows: tuple[float, float], color: str = colors.MARK
) -> Trace:
    """A shape: a rectangle around cells of a heatmap, from the first to the last of each."""
    return {
        "type": "rect",
        "x0": columns[0] - 0.5,
        "x1": columns[1] + 0.5,
        "y0": rows[0] - 0.5,
        "y1": rows[1] + 0.5,
        "line": {"color": color, "width": 2.5},
    }


def panel_title(text: str, *, y: float, x: float = 0) -> Trace:
    """An annotation: a title at the upper left of a panel, in shares of the figure."""
    return {
        "text": text,
        "x": x,
        "xref": "paper",
        "xanchor": "left",
        "y": y,
        "yref": "paper",
        "yanchor": "bottom",
        "align": "left",
    }


def line(x: Numbers, y: Numbers, name: str, hover: str, color: Any, number: int) -> Trace:
    """A trace: a curve with a mark at each point; NaN in `y` leaves a gap. `name` is any text."""
    return {
        "type": "scatter",
        "mode": "lines+markers",
        "x": x,
        "y": y,
        "name": label(name, 60),
        "line": {"color": color, "dash": colors.DASHES[number % len(colors.DASHES)], "width": 2.5},
        "marker": {"color": color, "size": 6},
        "hovertemplate": f"%{{fullData.name}}<br>{hover}<extra></extra>",
    }


def bars(
    sizes: Any, hover: str, color: str | Sequence[str], *, across: bool = False, **more: Any
) -> Trace:
    """A trace: one bar a number at 0, 1, 2, ...; with `across` they are horizontal."""
    places = np.arange(len(sizes))
    ends = {"x": sizes, "y": places, "orientation": "h"} if across else {"x": places, "y": sizes}
    look = {"marker": {"color": color}, "hovertemplate": f"{hover}<extra></extra>"}
    return {"type": "bar"} | ends | look | more


def heatmap(
    values: Any, hover: str, scale: Any, span: tuple[float, float] | None = None, **more: Any
) -> Trace:
    """A trace: one cell a number; `span` holds the numbers of the first and the last colour."""
    low, high = span or (None, None)
    look = {"type": "heatmap", "colorscale": scale, "zmin": low, "zmax": high}
    return look | {"z": values, "hovertemplate": f"{hover}<extra></extra>"} | more


def marks(x: Any, y: Any, marker: Trace, hover: str = "", **more: Any) -> Trace:
    """A trace: a mark at each point; the pointer passes over those without `hover`."""
    pointed = {"hovertemplate": f"{hover}<extra></extra>"} if hover else {"hoverinfo": "skip"}
    return {"type": "scatter", "mode": "markers", "x": x, "y": y, "marker": marker} | pointed | more


def band(x: Numbers, low: Numbers, high: Numbers, name: str, color: str) -> Trace:
    """A trace: the area between two curves, each (n,)."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": np.concatenate([x, x[::-1]]),
        "y": np.concatenate([high, low[::-1]]),
        "name": name,
        "line": {"width": 0},
        "fill": "toself",
        "fillcolor": color,
        "hoverinfo": "skip",
    }


def buttons(each: Sequence[Trace], **more: Any) -> Trace:
    """A menu of a layout: buttons in a row, on the left above the chart."""
    return {
        "type": "buttons",
        "direction": "right",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "pad": {"b": 4},
        "bgcolor": "rgba(0, 0, 0, 0)",
        "bordercolor": colors.MUTED,
        "buttons": list(each),
    } | more


def label(text: str, longest: int = 24) -> str:
    """A text that is safe in a figure, where Plotly reads tags and entities."""
    short = text if len(text) <= longest else shortened(text, longest)
    # It keeps its side of a number. Plotly.js 4 prints &quot; as these letters.
    return escape(showable(short, from_right=True), quote=False)


def numbered(tokens: Sequence[str], first: int = 0, longest: int = 24) -> list[str]:
    """Labels that differ where a token comes twice: "4 python"."""
    return [f"{number} {label(token, longest)}" for number, token in enumerate(tokens, first)]


def width_of(names: Sequence[str]) -> int:
    """The width of the longest label, in pixels, by estimate: faster than Plotly measures it."""
    longest = max(
        (sum(2 if east_asian_width(c) in "WF" else 1 for c in unescape(name)) for name in names),
        default=0,
    )
    return min(7 * longest + 14, 190)


def titled(text: str, **more: Any) -> Axis:
    """An axis with a title."""
    return {"title": {"text": text}} | more


def layers(numbers: Sequence[int] = (), **more: Any) -> Axis:
    """An axis of layers, with a number at each, or at every fourth of many."""
    far = max(numbers, default=0) - min(numbers, default=0) > 13
    return titled("layer (0 = input embedding)", dtick=4 if far else 1) | more


def named(names: Sequence[str], most: int = MAX_NAMED, **more: Any) -> Axis:
    """An axis with names at 0, 1, 2, ...: at most `most` of them, evenly spread; no grid."""
    positions = list(range(0, len(names), -(-len(names) // most) or 1))
    return {
        "tickmode": "array",
        "tickvals": positions,
        "ticktext": [names[i] for i in positions],
        "showgrid": False,
    } | more


def named_rows(names: Sequence[str], most: int | None = None, **more: Any) -> Axis:
    """A vertical axis with one row a name, the first on top; see `named`."""
    span = {"range": [len(names) - 0.5, -0.5]}
    return named(names, most or max(len(names), 1)) | span | more
