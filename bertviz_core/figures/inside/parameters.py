"""Parts of a whole as nested areas."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_core.figures.axes import label
from bertviz_core.figures.colors import faint, ink
from bertviz_core.figures.drawing import Figure, draw

MOST_WITH_LINES = 5
BAR = 24  # pixels


def parameter_treemap(
    ids: Sequence[str],
    names: Sequence[str],
    parents: Sequence[str],
    counts: NDArray[np.int64],
    colors: Sequence[str],
    notes: Sequence[str],
) -> Figure:
    """Draw counts as areas, areas within areas; a click on one zooms into it.

    Args:
        ids: One a part, all different.
        names: What stands on each part.
        parents: The id of the part that holds it; "" for the outermost.
        counts: int64, of each part; a part that holds others has their sum.
        colors: Of each part, "#RRGGBB".
        notes: A second line for the hover text, such as a shape.

    Returns:
        A treemap whose areas are the counts.

    Raises:
        ValueError: The columns differ in length, or a part differs from the sum of what it holds.
    """
    shape = (len(ids),)
    for column, values in (("names", names), ("parents", parents), ("colors", colors)):
        if len(values) != len(ids):
            raise ValueError(f"{column} have shape {(len(values),)}, ids {shape}")
    if counts.shape != shape or len(notes) != len(ids):
        raise ValueError(f"counts have shape {counts.shape}, notes {(len(notes),)}, ids {shape}")
    held: dict[str, int] = {}
    for parent, count in zip(parents, counts, strict=True):
        held[parent] = held.get(parent, 0) + int(count)
    for part, count in zip(ids, counts, strict=True):
        if part in held and held[part] != count:
            raise ValueError(f"{part} counts {count}, its parts {held[part]}")
    among: dict[str, list[str]] = {}
    for part, parent in zip(ids, parents, strict=True):
        among.setdefault(parent, []).append(part)
    areas = {
        "type": "treemap",
        "ids": list(ids),
        "labels": [label(name, 60) for name in names],
        "parents": list(parents),
        "values": counts,
        "branchvalues": "total",
        "maxdepth": 3,
        "sort": False,
        # In the order given: groups side by side, what they hold from top to bottom.
        "tiling": {"packing": "slice-dice", "pad": 2},
        "marker": {"colors": list(colors), "line": {"width": 1, "color": faint("#FFFFFF", 0.7)}},
        "textfont": {"color": [ink(color) for color in colors]},
        "texttemplate": [_text(len(among[parent])) for parent in parents],
        "customdata": [label(note, 80) for note in notes],
        "hovertemplate": (
            "%{label}<br>%{customdata}<br>%{value:,} parameters, %{percentRoot:.2%} of all"
            "<extra></extra>"
        ),
        "pathbar": {"visible": True, "side": "bottom", "thickness": BAR},
    }
    # Room for the path bar below, which comes with the first click.
    return draw([areas], height=400, margin={"b": BAR + 8})


def _text(siblings: int) -> str:
    """One line where many parts lie under each other, else three."""
    if siblings > MOST_WITH_LINES:
        return "%{label}: %{percentRoot:.2%}"
    return "%{label}<br>%{value:,}<br>%{percentRoot:.1%}"
