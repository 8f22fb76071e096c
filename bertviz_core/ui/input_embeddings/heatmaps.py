"""What the page on input embeddings shows."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.embeddings.embedding_layer import most_variable_dimensions
from bertviz_core.figures import colors
from bertviz_core.figures.axes import CELL_LIMIT
from bertviz_core.figures.heatmaps.embeddings import (
    Panel,
    embedding_stack,
    is_picture,
    saturation_limit,
)
from bertviz_core.snippets.fill import filled
from bertviz_core.tokens import TokenizedText
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding
from bertviz_core.ui.memory import models
from bertviz_core.ui.results import library_doing
from bertviz_core.ui.show import chart, code, csv_download, table
from bertviz_core.ui.waiting import waiting

if TYPE_CHECKING:
    import pandas as pd

PARTS = {
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
class Window:
    """Which tokens and dimensions are drawn, and how colours are scaled.

    Attributes:
        first: First token shown.
        last: Last token shown.
        dimensions: int64, the dimensions shown, in the order shown.
        one_scale: Whether all panels share one colour scale.
    """

    first: int
    last: int
    dimensions: NDArray[np.int64]
    one_scale: bool


def length_finding(parts: InputEmbeddings) -> None:
    """Say which of the three parts is longest."""
    lengths = {
        name: float(np.linalg.norm(getattr(parts, name), axis=1).mean())
        for name in ("word", "position", "token_type")
    }
    finding(
        "On average over these tokens, the token embedding has length <b>{word}</b>, "
        "the position embedding <b>{position}</b> and the segment embedding <b>{token_type}</b>.",
        **{name: f"{length:.2f}" for name, length in lengths.items()},
    )


def choose_window(bert: Bert, text: TokenizedText, parts: InputEmbeddings) -> Window:
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
    return Window(first, last, dimensions, one_scale)


def embedding_heatmaps(text: TokenizedText, parts: InputEmbeddings, window: Window) -> None:
    """Draw the five matrices, one above the other."""
    rows = slice(window.first, window.last + 1)
    tokens = text.tokens[rows]
    values = {name: getattr(parts, name)[rows][:, window.dimensions] for name in PARTS}
    limits = {name: saturation_limit(part) for name, part in values.items()}
    shared = max(limits.values())
    panels = [
        Panel(PARTS[name][0], part, shared if window.one_scale else limits[name], PARTS[name][1])
        for name, part in values.items()
    ]
    figure = embedding_stack(panels, tokens, window.dimensions.tolist(), first_token=window.first)
    chart(
        figure,
        alt=(
            f"Five heatmaps of {len(tokens)} tokens by {len(window.dimensions)} dimensions: "
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
        cells = sum(panel.values.size for panel in panels)
        caption += (
            f" {cells:,} cells are drawn as a picture; narrow tokens or dimensions to at most "
            f"{CELL_LIMIT:,} cells, and each shows its value under the pointer."
        )
    else:
        caption += " Point at a cell for its value; drag to zoom all five, double-click to return."
    st.caption(caption)


def show_code(bert: Bert, text: str, text_pair: str | None) -> None:
    """Offer the code that adds up the same embeddings."""
    code(
        lambda: filled("embeddings/input_embeddings", bert, text=text, text_pair=text_pair),
        name="embeddings",
    )


def proof(bert: Bert, parts: InputEmbeddings, text: str, text_pair: str | None) -> None:
    """Compare our sum with the model's own embedding module."""
    st.subheader("The proof", anchor=False)
    st.markdown(
        "LayerNorm(token + segment + position), as drawn above, against `model.embeddings(…)` "
        "of the transformers library."
    )
    if not models.has_encoder(bert.name) and not st.button(
        "Run the model's own layer", icon=":material/verified:", key="prove", type="primary"
    ):
        st.caption("Loads the whole model once, a few seconds; afterwards the proof stands here.")
        return
    with waiting(library_doing(bert.name, "Running the model's own embedding layer …"), height=80):
        own = cache.own_embedding_layer(bert.name, text, text_pair)
    difference = float(np.abs(own - parts.output).max())
    largest = float(np.abs(own).max())
    finding(
        "Largest absolute difference over {cells} numbers: <b>{difference}</b>, where the "
        "numbers themselves reach {largest}. {verdict}",
        cells=f"{own.size:,}",
        difference=f"{difference:.1e}",
        largest=f"{largest:.2f}",
        verdict=(
            "Rounding, nothing else: ours normalizes in 64 bits, the model in 32."
            if difference < 1e-5
            else "More than rounding explains."
        ),
    )


def token_table(text: TokenizedText, parts: InputEmbeddings) -> None:
    """Show the numbers of one token, part by part."""
    st.subheader("The numbers", anchor=False)
    place = inputs.number(
        "Token at position", 0, max(len(text) - 1, 1), min(1, len(text) - 1), key="token"
    )
    st.text(
        f"{text.tokens[place]}   id {text.input_ids[place]}, "
        f"segment {'AB'[int(text.token_type_ids[place])]}, position {place}"
    )
    import pandas as pd  # after the picture: its import takes a third of a second

    numbers = pd.DataFrame(
        {"dimension": np.arange(parts.word.shape[1])}
        | {name: getattr(parts, name)[place] for name in PARTS}
    ).rename(
        columns={
            "word": "token",
            "token_type": "segment",
            "summed": "sum",
            "output": "after LayerNorm",
        }
    )
    table(numbers, name=f"token-{place}", decimals=4, height=320)
    csv_download("All tokens as CSV", lambda: _all_numbers(text, parts), name="input-embeddings")


def _all_numbers(text: TokenizedText, parts: InputEmbeddings) -> "pd.DataFrame":
    import pandas as pd

    seq_len, size = parts.word.shape
    columns: dict[str, Array | NDArray[np.int64] | NDArray[np.object_]] = {
        "position": np.repeat(text.position_ids, size),
        "token": np.repeat(np.array(text.tokens, dtype=object), size),
        "token_id": np.repeat(text.input_ids, size),
        "segment": np.repeat(text.token_type_ids, size),
        "dimension": np.tile(np.arange(size), seq_len),
    }
    for name in PARTS:
        columns[f"{name}_embedding"] = getattr(parts, name).ravel()
    return pd.DataFrame(columns)
