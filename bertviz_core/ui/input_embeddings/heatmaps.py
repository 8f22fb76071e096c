"""The five matrices of the embedding layer, as heatmaps."""

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
        method="parts-of-the-input-embedding",
    )


def embedding_heatmaps(
    bert: Bert, typed: InputText, text: TokenizedText, parts: InputEmbeddings
) -> None:
    """Draw what is chosen of the five matrices, and offer the code that adds them up."""
    left, right = slots.row("window", 2)
    with left:
        dimensions = _choose_dimensions(parts)
    with right:
        one_scale = inputs.choice(
            "Colour scale",
            {"one for each": False, "one for all": True},
            key="scale",
            help="One for each shows the pattern inside a part; one for all compares the parts.",
        )
        first, last = 0, len(text) - 1
        if len(text) > TOKENS_AT_ONCE:
            first, last = inputs.span("From token to token", len(text), (0, last), key="tokens")
    rows = slice(first, last + 1)
    tokens = text.tokens[rows]
    values = {name: getattr(parts, name)[rows][:, dimensions] for name in PANELS}
    limits = {name: saturation_limit(part) for name, part in values.items()}
    shared = max(limits.values())
    panels = [
        Panel(title, values[name], shared if one_scale else limits[name], color)
        for name, (title, color) in PANELS.items()
    ]
    chart(
        embedding_stack(panels, tokens, dimensions.tolist(), first_token=first),
        alt=(
            f"Five heatmaps of {len(tokens)} tokens by {len(dimensions)} dimensions: "
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
