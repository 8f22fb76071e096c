"""The five matrices of the embedding layer, as heatmaps."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
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
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding
from bertviz_core.ui.show import chart, code

PANELS = {
    "word": ("Token embedding", colors.TOKEN),
    "token_type": ("Segment embedding", colors.SEGMENT),
    "position": ("Position embedding", colors.POSITION),
    "summed": ("Sum of the three", colors.OUTPUT),
    "output": ("After LayerNorm", colors.OUTPUT),
}
DIMENSIONS = {kind: kind for kind in ("all", "window", "most variable")}
WIDEST = 128
TOKENS_AT_ONCE = 64


@dataclass(frozen=True, eq=False)
class DrawnCells:
    """Which cells of the matrices are drawn, and how their colours are scaled.

    Attributes:
        first: Position of the first token drawn.
        last: Position of the last token drawn.
        dimensions: int64, the dimensions drawn, in this order.
        one_scale: Whether all panels share one colour scale.
    """

    first: int
    last: int
    dimensions: Ids
    one_scale: bool


def part_lengths(parts: InputEmbeddings) -> None:
    """Say which of the three parts is longest."""
    token, position, segment = (
        f"{np.linalg.norm(rows, axis=1).mean():.2f}"
        for rows in (parts.word, parts.position, parts.token_type)
    )
    finding(
        "On average over these tokens, the token embedding has length <b>{token_length}</b>, "
        "the position embedding <b>{position_length}</b> and the segment embedding "
        "<b>{segment_length}</b>.",
        token_length=token,
        position_length=position,
        segment_length=segment,
    )


def choose_cells(bert: Bert, text: TokenizedText, parts: InputEmbeddings) -> DrawnCells:
    """Ask which part of the matrices to draw."""
    size = bert.hidden_size
    left, right = slots.row("window", 2)
    with left:
        kind = inputs.choice("Dimensions", DIMENSIONS, key="dims")
        dimensions = np.arange(size)
        if kind == "window":
            first, last = inputs.span(
                "From dimension to dimension", size, (0, min(63, size - 1)), key="window"
            )
            dimensions = np.arange(first, last + 1)
        elif kind == "most variable":
            count = inputs.number("How many", 1, min(WIDEST, size), min(32, size), key="variable")
            dimensions = most_variable_dimensions(parts.output, count)
    with right:
        one_scale = inputs.choice(
            "Colour scale",
            {"one for each": False, "one for all": True},
            key="scale",
            help="One for each shows the pattern inside a part; one for all compares the parts.",
        )
        first, last = 0, len(text) - 1
        if len(text) > TOKENS_AT_ONCE:
            first, last = inputs.span(
                "From token to token", len(text), (0, len(text) - 1), key="tokens"
            )
    return DrawnCells(first, last, dimensions, one_scale)


def embedding_heatmaps(
    bert: Bert, typed: InputText, text: TokenizedText, parts: InputEmbeddings, cells: DrawnCells
) -> None:
    """Draw the five matrices one above the other, and offer the code that adds them up."""
    rows = slice(cells.first, cells.last + 1)
    tokens = text.tokens[rows]
    values = {name: getattr(parts, name)[rows][:, cells.dimensions] for name in PANELS}
    limits = {name: saturation_limit(part) for name, part in values.items()}
    shared = max(limits.values())
    panels = [
        Panel(title, values[name], shared if cells.one_scale else limits[name], color)
        for name, (title, color) in PANELS.items()
    ]
    chart(
        embedding_stack(panels, tokens, cells.dimensions.tolist(), first_token=cells.first),
        alt=(
            f"Five heatmaps of {len(tokens)} tokens by {len(cells.dimensions)} dimensions: "
            "token, segment and position embedding, their sum, and the sum after LayerNorm. "
            f"Colours end at ±{limits['word']:.3g} for the token part and at "
            f"±{limits['output']:.3g} for the result."
        ),
        name="input-embeddings",
    )
    beyond = np.mean([np.mean(np.abs(panel.values) > panel.limit) for panel in panels])
    caption = (
        f"Red is above zero, blue below, white zero. {beyond:.1%} of the cells lie beyond the "
        "end of the scale and are drawn in its last colour."
    )
    if is_picture(panels):
        drawn = sum(panel.values.size for panel in panels)
        caption += (
            f" {drawn:,} cells are drawn as a picture. Choose fewer tokens or dimensions: up to "
            f"{CELL_LIMIT:,} cells, each shows its value under the pointer."
        )
    else:
        caption += " Point at a cell for its value; drag to zoom all five, double-click to return."
    st.caption(caption)
    code("embeddings/input_embeddings", bert, typed, name="embeddings")
