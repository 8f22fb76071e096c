"""The length of every row of the token table, by kind: a picture of all, and marks to point at."""

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label
from bertviz_core.figures.colors import MARK, MUTED, OUTPUT, SEGMENT, TOKEN
from bertviz_core.figures.drawing import Figure, draw
from bertviz_core.figures.points import Look, Span, picture, points_png, ruled, spread_out

Array = NDArray[np.float32]
Kinds = NDArray[np.int8]

FEW = 200  # rows of a kind that are marks, each of them
CELLS = (36, 18)  # of the other kinds about one row in each of these can be pointed at
# Between a wide screen's shape and a phone's, as the picture is stretched to either.
SIZE = (800, 400)
# Small kinds are drawn large and last; no two share colour and symbol. Each colour stands out
# from a white and from a dark ground (contrast of 3 and more).
LOOKS = (
    Look(MUTED),
    Look(TOKEN),
    Look(SEGMENT, "triangle-up", 5),
    Look(OUTPUT, "diamond", 5),
    Look("#8C6D31", "x", 5),
    Look("#B87F00", "square", 5),
    Look("#8E6BD0", "circle", 5),
    Look(MARK, "star", 13),
)


def norms_picture(norms: Array, kinds: Kinds, shown: Collection[int]) -> str:
    """Draw the many rows of `norms_by_kind_scatter` as a PNG; it takes longest to make."""
    across, up = _spans(norms)
    drawn = np.where(_in_picture(kinds, shown), kinds, -1)
    return points_png(np.arange(len(norms)), norms, drawn, LOOKS, across=across, up=up, size=SIZE)


def norms_by_kind_scatter(
    norms: Array,
    kinds: Kinds,
    kind_names: Sequence[str],
    tokens: Sequence[str],
    *,
    extremes: Sequence[int] | NDArray[np.int64] = (),
    shown: Collection[int] | None = None,
    png: str | None = None,
) -> Figure:
    """Draw the length of every row against its number.

    All rows of the large kinds are a picture. Each kind that has rows is a scatter trace: all rows
    of a small kind, some of a large one, which lie on their own points of the picture.

    Args:
        norms: float32 (rows,).
        kinds: int8 (rows,), index in `kind_names` of each row.
        kind_names: At most eight, in the order they are drawn: the last on top.
        tokens: (rows,), shown under the pointer.
        extremes: Rows that can be pointed at in any case.
        shown: The kinds to draw; all by default. The axes stay as they are.
        png: The same from `norms_picture`, where it is kept.
    """
    if shown is None:
        shown = range(len(kind_names))
    across, up = _spans(norms)
    in_picture = _in_picture(kinds, shown)
    marked = np.isin(kinds, list(shown)) & ~in_picture
    marked[np.asarray(extremes, dtype=np.int64)] = True
    many = np.flatnonzero(in_picture)
    many = many[np.argsort(kinds[many], kind="stable")]  # as they are drawn, the topmost last
    marked[many[spread_out(many, norms[many], across=across, up=up, cells=CELLS)]] = True
    if png is None:
        png = norms_picture(norms, kinds, shown)
    traces = []
    for kind in sorted(shown):
        of_kind = kinds == kind
        if not of_kind.any():
            continue
        rows, name = np.flatnonzero(of_kind & marked), kind_names[kind]
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": rows.astype(np.int32),
                "y": norms[rows],
                "name": f"{name} ({of_kind.sum():,})",
                "marker": LOOKS[kind].marker,
                "text": [label(tokens[row]) for row in rows.tolist()],
                "hovertemplate": "%{text}<br>id %{x}<br>length %{y:.3f}"
                f"<extra>{name}<br>median {np.median(norms[of_kind]):.3f}</extra>",
            }
        )
    return draw(
        traces,
        height=520,
        # The picture would not follow a click.
        legend={"itemsizing": "constant", "itemclick": False, "itemdoubleclick": False},
        images=[picture(png, across=across, up=up)],
        hoverdistance=10,  # pixels: the nearest mark, and not one far from the pointer
        xaxis=ruled("token id", across, tickformat="d"),
        yaxis=ruled("length of the row", up),
    )


def _spans(norms: Array) -> tuple[Span, Span]:
    """What the axes reach over, with room for the marks at the edges."""
    beside = max(len(norms) / 50, 1.0)
    return (-beside, len(norms) - 1 + beside), (0.0, 1.06 * max(float(norms.max()), 1e-6))


def _in_picture(kinds: Kinds, shown: Collection[int]) -> NDArray[np.bool]:
    """Whether each row is of a kind that is drawn, and has more rows than marks should be."""
    counts = np.bincount(kinds, minlength=len(LOOKS))
    many = [kind for kind in shown if counts[kind] > FEW]
    return np.isin(kinds, many)
