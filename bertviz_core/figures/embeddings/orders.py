"""Other orders and other runs: sums added otherwise, rows that stay equal, lines side by side."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import named, named_rows, numbered, titled
from bertviz_core.figures.colors import MUTED, OUTPUT, faint, steps
from bertviz_core.figures.drawing import Figure, draw, line

Lines = Mapping[str, NDArray[np.floating[Any]]]
MOST_MARKED = 100
MOST_WITH_NUMBERS = 400
# Sequential and light to dark, so that it reads without colour; the first is nearly the ground.
STAGE_COLORS = (faint(MUTED, 0.15), "#C6DBEF", "#6BAED6", "#2171B5", "#08306B")
_SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross")


def order_bars(orders: Sequence[str], differences: NDArray[np.float64]) -> Figure:
    """Draw how far a sum added in each order lies from the first, as a bar with its number.

    Args:
        orders: n names, the library's order first.
        differences: float64 (n,), the largest difference of each, at least 0.

    Returns:
        n horizontal bars, the first on top; zero is written as "0, bit for bit".

    Raises:
        ValueError: There is not one difference an order.
    """
    if differences.shape != (len(orders),):
        raise ValueError(f"differences have shape {differences.shape}, orders {(len(orders),)}")
    bars = {
        "type": "bar",
        "x": differences,
        "y": np.arange(len(orders)),
        "orientation": "h",
        "marker": {"color": OUTPUT},
        "text": [f"{value:.1e}" if value else "0, bit for bit" for value in differences],
        "textposition": "outside",
        "cliponaxis": False,
        "customdata": list(orders),
        "hovertemplate": "%{customdata}<br>%{x:.2e}<extra></extra>",
    }
    return draw(
        [bars],
        height=30 * len(orders) + 100,
        xaxis=titled(
            "largest difference",
            range=[0, float(differences.max(initial=0)) * 1.35 or 1e-6],
            exponentformat="e",
            nticks=5,
        ),
        yaxis=named_rows(orders),
    )


def equal_rows_heatmap(
    kept: NDArray[np.int64], first: Sequence[str], second: Sequence[str], *, stages: Sequence[str]
) -> Figure:
    """Draw a square for each pair of rows, darker the longer they stay equal.

    Args:
        kept: int64 (len(first), len(second)), stages two rows stay equal, 0 to 4.
        first: Tokens down.
        second: Tokens across.
        stages: The four stages' names.

    Returns:
        A heatmap in five colours; numbers in the squares of equal rows up to 400 pairs.

    Raises:
        ValueError: `kept` has another shape than the tokens say, or there are not four stages.
    """
    shape = (len(first), len(second))
    if kept.shape != shape:
        raise ValueError(f"kept has shape {kept.shape}, tokens make {shape}")
    if len(stages) != len(STAGE_COLORS) - 1:
        raise ValueError(f"there are {len(stages)} stages, colours for {len(STAGE_COLORS) - 1}")
    with_numbers = kept.size <= MOST_WITH_NUMBERS
    cells = {
        "type": "heatmap",
        "z": kept.astype(np.int8),
        "zmin": -0.5,
        "zmax": len(STAGE_COLORS) - 0.5,
        "colorscale": steps(STAGE_COLORS),
        "xgap": 1,
        "ygap": 1,
        "colorbar": {
            "tickmode": "array",
            "tickvals": list(range(len(STAGE_COLORS))),
            "ticktext": ["never", *stages],
        },
        "text": [[str(stage or "") for stage in row] for row in kept] if with_numbers else None,
        "texttemplate": "%{text}" if with_numbers else None,
        "hovertemplate": "A: %{y}<br>B: %{x}<br>equal for %{z} of 4 stages<extra></extra>",
    }
    return draw(
        [cells],
        height=int(np.clip(30 * len(first) + 110, 200, 620)),
        xaxis=named(numbered(second), 40, range=[-0.5, len(second) - 0.5]),
        yaxis=named_rows(numbered(first), 40),
    )


def lines_over_tokens(lines: Lines, tokens: Sequence[str], *, title: str) -> Figure:
    """Draw one quantity a line, over the tokens of a text; with marks up to 100 tokens.

    Args:
        lines: Name and (seq_len,) of each line.
        tokens: seq_len labels.
        title: What is measured, for the vertical axis.

    Raises:
        ValueError: A line has not one value a token.
    """
    for name, values in lines.items():
        if values.shape != (len(tokens),):
            raise ValueError(f"line {name!r} has shape {values.shape}, tokens {(len(tokens),)}")
    names = numbered(tokens)
    return draw(
        _lines(lines, 0, "%{customdata}<br>%{y:.3f}", names),
        height=380,
        legend=True,
        xaxis=named(names),
        yaxis=titled(title, rangemode="tozero"),
    )


def lines_over_runs(lines: Lines, *, runs: str, title: str) -> Figure:
    """Draw one quantity a line, over the number of runs, 1, 2, 3, ...

    Args:
        lines: Name and (n,) of each line.
        runs: What is counted, for the horizontal axis.
        title: What is measured, for the vertical axis.

    Raises:
        ValueError: The lines differ in length.
    """
    shapes = {values.shape for values in lines.values()}
    if len(shapes) != 1:
        raise ValueError(f"lines have shapes {sorted(shapes)}, expected one shape")
    return draw(
        _lines(lines, 1, "%{x}: %{y:.4f}"),
        height=380,
        legend=True,
        xaxis=titled(runs, tickformat="d"),
        yaxis=titled(title, rangemode="tozero"),
    )


def _lines(
    lines: Lines, start: int, hover: str, names: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    traces = []
    for number, (name, values) in enumerate(lines.items()):
        positions = np.arange(start, start + len(values))
        trace = line(positions, values.astype(np.float32), name, hover, number, customdata=names)
        trace["marker"]["symbol"] = _SYMBOLS[number % len(_SYMBOLS)]
        trace["mode"] = "lines+markers" if len(values) <= MOST_MARKED else "lines"
        traces.append(trace)
    return traces
