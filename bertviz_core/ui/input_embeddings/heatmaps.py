"""The five matrices of the embedding layer, as heatmaps."""

from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.embeddings.embedding_layer import most_variable_dimensions
from bertviz_core.figures import colors
from bertviz_core.figures.axes import CELL_LIMIT
from bertviz_core.figures.embeddings.stack import (
    Panel,
    embedding_stack,
    is_picture,
    saturation_limit,
)
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import caption, finding
from bertviz_core.ui.show import chart

PANELS = {
    "word": ("token", colors.TOKEN),
    "token_type": ("+ segment", colors.SEGMENT),
    "position": ("+ position", colors.POSITION),
    "summed": ("= sum", colors.OUTPUT),
    "output": ("after LayerNorm", colors.OUTPUT),
}
SIDE_BY_SIDE = (3, 2)  # the parts above, what becomes of them below
DIMENSIONS = ("all", "window", "most variable")
WIDEST = 128
TOKENS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class Chosen:
    """What is drawn of the five matrices.

    Attributes:
        dimensions: Numbers of the columns.
        rows: The tokens.
        one_scale: Whether all have the same colours.
    """

    dimensions: Ids
    rows: slice
    one_scale: bool


def choose(text: TokenizedText, parts: InputEmbeddings) -> Chosen:
    """Ask which tokens and dimensions to draw, and in which colours."""
    with slots.cells("drawn", 3) as cells:
        with cells.cell():
            dimensions = _choose_dimensions(parts)
        one_scale = inputs.choice(
            "Colour scale",
            {"one for each": False, "one for all": True},
            key="scale",
            help="One for each shows the pattern inside a part; one for all compares the parts.",
        )
        first, last = 0, len(text) - 1
        if len(text) > TOKENS_AT_ONCE:
            first, last = inputs.span("From token to token", len(text), (0, last), key="tokens")
    return Chosen(dimensions, slice(first, last + 1), one_scale)


def part_lengths(parts: InputEmbeddings) -> None:
    """Say which of the three parts is longest."""
    lengths = {
        name: float(np.linalg.norm(rows, axis=1).mean())
        for name, rows in (
            ("token", parts.word),
            ("position", parts.position),
            ("segment", parts.token_type),
        )
    }
    first, *others = sorted(lengths, key=lambda name: -lengths[name])
    finding(
        f"The <b>{first}</b> part is the longest: length <b>{{{first}_length}}</b> on average, "
        + ", ".join(f"{name} <b>{{{name}_length}}</b>" for name in others)
        + ".",
        method="parts-of-the-input-embedding",
        **{f"{name}_length": f"{length:.2f}" for name, length in lengths.items()},
    )


def embedding_heatmaps(text: TokenizedText, parts: InputEmbeddings, chosen: Chosen) -> None:
    """Draw what is chosen of the five matrices."""
    tokens, dimensions = text.tokens[chosen.rows], chosen.dimensions
    values = {name: getattr(parts, name)[chosen.rows][:, dimensions] for name in PANELS}
    limits = {name: saturation_limit(part) for name, part in values.items()}
    shared = max(limits.values())
    panels = [
        Panel(title, values[name], shared if chosen.one_scale else limits[name], color)
        for name, (title, color) in PANELS.items()
    ]
    chart(
        embedding_stack(
            panels,
            tokens,
            dimensions.tolist(),
            first_token=chosen.rows.start,
            rows=SIDE_BY_SIDE,
        ),
        alt=(
            f"Five heatmaps of {len(tokens)} tokens by {len(dimensions)} dimensions: "
            "token, segment and position embedding, their sum, and the sum after LayerNorm. "
            f"Colours end at ±{limits['word']:.3g} for the token part and at "
            f"±{limits['output']:.3g} for the result."
        ),
        name="input-embeddings",
    )
    beyond = np.mean([np.mean(np.abs(panel.values) > panel.limit) for panel in panels])
    told = (
        "Red is above zero, blue below, white zero; ± is where the colours end ({beyond} of the "
        "cells lie beyond). "
    )
    if is_picture(panels):
        told += (
            "{drawn} cells are drawn as a picture. Choose fewer tokens or dimensions under "
            "Options: up to {cells} cells, each shows its value under the pointer."
        )
    else:
        told += "Point at a cell for its value; drag to zoom all five, double-click to return."
    caption(
        told,
        beyond=f"{beyond:.1%}",
        drawn=f"{sum(panel.values.size for panel in panels):,}",
        cells=f"{CELL_LIMIT:,}",
    )


def _choose_dimensions(parts: InputEmbeddings) -> Ids:
    size = parts.output.shape[1]
    kind = inputs.choice("Dimensions", DIMENSIONS, key="dims")
    if kind == "window":
        field = "From dimension to dimension"
        first, last = inputs.span(field, size, (0, min(63, size - 1)), key="window")
        return np.arange(first, last + 1)
    if kind == "most variable":
        count = inputs.number("How many", 1, min(WIDEST, size), min(32, size), key="variable")
        return most_variable_dimensions(parts.output, count)
    return np.arange(size)
