"""The headline: the five matrices of the embedding layer, as heatmaps."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Ids
from bertviz_core.bert import Bert
from bertviz_core.csv_files import Columns
from bertviz_core.embeddings import InputEmbeddings, input_embeddings
from bertviz_core.embeddings.embedding_layer import most_variable_dimensions
from bertviz_core.figures import colors
from bertviz_core.figures.axes import CELL_LIMIT
from bertviz_core.figures.stack import Panel, embedding_stack, is_picture, saturation_limit
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider, Span
from bertviz_core.views.parts import caption, chips, picture, program, say, table
from bertviz_core.views.view import View

PANELS = {
    "word": ("token", colors.TOKEN),
    "token_type": ("+ segment", colors.SEGMENT),
    "position": ("+ position", colors.POSITION),
    "summed": ("= sum", colors.OUTPUT),
    "output": ("after LayerNorm", colors.OUTPUT),
}
SIDE_BY_SIDE = (3, 2)  # the parts above, what becomes of them below
WIDEST = 128
TOKENS_AT_ONCE = 64


@view("token + segment + position", page="Input Embeddings", rank=0)
def sum_of_parts(
    bert: Bert,
    typed: InputText,
    position: int | None = None,
    dims: Annotated[
        str,
        Choice(
            "Dimensions", ("all", "window", "most variable"), about="which dimensions are drawn"
        ),
    ] = "all",
    window: Annotated[
        tuple[int, int],
        Span(
            "From dimension to dimension",
            lambda bert: bert.hidden_size,
            when=lambda dims: dims == "window",
            about="first and last of a window of dimensions",
        ),
    ] = (0, 63),
    variable: Annotated[
        int,
        Slider(
            "How many",
            1,
            lambda bert: min(WIDEST, bert.hidden_size),
            when=lambda dims: dims == "most variable",
            about="how many of the dimensions that vary most",
        ),
    ] = 32,
    scale: Annotated[
        bool,
        Choice(
            "Colour scale",
            {"one for each": False, "one for all": True},
            about="one colour scale for each part, or one for all",
            help="One for each shows the pattern inside a part; one for all compares the parts.",
        ),
    ] = False,
    tokens: Annotated[
        tuple[int, int],
        Span(
            "From token to token",
            lambda length: length,
            when=lambda length: length > TOKENS_AT_ONCE,
            about="first and last token that is drawn",
        ),
    ] = (0, 511),
) -> View:
    """The token, segment and position embedding of each token, their sum, and LayerNorm of it."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    drawn, rows = _dimensions(parts, dims, window, variable), slice(tokens[0], tokens[1] + 1)
    shown = text.tokens[rows]
    values = {name: getattr(parts, name)[rows][:, drawn] for name in PANELS}
    limits = {name: saturation_limit(part) for name, part in values.items()}
    shared = max(limits.values())
    panels = [
        Panel(title, values[name], shared if scale else limits[name], color)
        for name, (title, color) in PANELS.items()
    ]
    return View(
        _longest(parts),
        chips(text, selected=position, sets="token", opens="a token's numbers"),
        picture(
            embedding_stack(
                panels, shown, drawn.tolist(), first_token=tokens[0], rows=SIDE_BY_SIDE
            ),
            alt=f"Five heatmaps of {len(shown)} tokens by {len(drawn)} dimensions: token, segment "
            "and position embedding, their sum, and the sum after LayerNorm. Colours end at "
            f"±{limits['word']:.3g} for the token part and at ±{limits['output']:.3g} for the "
            "result.",
            name="input-embeddings",
        ),
        _key(panels),
        table(
            lambda: _all_numbers(text, parts),
            name="input-embeddings",
            decimals=4,
            fold="Table of all numbers",
        ),
        program(
            "embeddings/input_embeddings",
            bert,
            typed,
            name="embeddings",
            arrays=lambda: _arrays(text, parts),
        ),
    )


def _dimensions(parts: InputEmbeddings, dims: str, window: tuple[int, int], variable: int) -> Ids:
    if dims == "window":
        return np.arange(window[0], window[1] + 1)
    if dims == "most variable":
        return most_variable_dimensions(parts.output, variable)
    return np.arange(parts.output.shape[1])


def _longest(parts: InputEmbeddings) -> Any:
    lengths = {
        name: float(np.linalg.norm(rows, axis=1).mean())
        for name, rows in (
            ("token", parts.word),
            ("position", parts.position),
            ("segment", parts.token_type),
        )
    }
    first, *others = sorted(lengths, key=lambda name: -lengths[name])
    return say(
        f"The <b>{first}</b> part is the longest: length <b>{{{first}_length}}</b> on average, "
        + ", ".join(f"{name} <b>{{{name}_length}}</b>" for name in others)
        + ".",
        method="parts-of-the-input-embedding",
        **{f"{name}_length": f"{length:.2f}" for name, length in lengths.items()},
    )


def _key(panels: list[Panel]) -> Any:
    beyond = np.mean([np.mean(np.abs(panel.values) > panel.limit) for panel in panels])
    key = (
        "Red is above zero, blue below, white zero; ± is where the colours end ({beyond} of the "
        "cells lie beyond). "
    )
    if is_picture(panels):
        key += (
            "{drawn} cells are drawn as a picture. Choose fewer tokens or dimensions under "
            "Options: up to {cells} cells, each shows its value under the pointer."
        )
    else:
        key += "Point at a cell for its value; drag to zoom all five, double-click to return."
    return caption(
        key,
        beyond=f"{beyond:.1%}",
        drawn=f"{sum(panel.values.size for panel in panels):,}",
        cells=f"{CELL_LIMIT:,}",
    )


def _arrays(text: TokenizedText, parts: InputEmbeddings) -> dict[str, Any]:
    return {
        "tokens": list(text.tokens),
        "input_ids": text.input_ids,
        "token_type_ids": text.token_type_ids,
        "position_ids": text.position_ids,
        **parts.arrays(),
    }


def _all_numbers(text: TokenizedText, parts: InputEmbeddings) -> Columns:
    """Every number of the five matrices, one a token and dimension."""
    size = parts.word.shape[1]
    return {
        "position": np.repeat(text.position_ids, size),
        "token": np.repeat(np.array(text.tokens, dtype=object), size),
        "token_id": np.repeat(text.input_ids, size),
        "segment": np.repeat(text.token_type_ids, size),
        **parts.columns(),
    }
