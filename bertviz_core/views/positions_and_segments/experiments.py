"""Experiments with positions and segments: what a change does to every token, by layer."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.encoder import Encoder
from bertviz_core.errors import UserInputError
from bertviz_core.figures import colors
from bertviz_core.figures.drawing import draw, heatmap, layers, named_rows, numbered
from bertviz_core.positions.changes import (
    CHANGES,
    Change,
    between_tokens_by_layer,
    change_by_layer,
    changed_text,
)
from bertviz_core.shared.models import AnyEncoder
from bertviz_core.shared.results import once_in_turn
from bertviz_core.tokens import InputText
from bertviz_core.views.card import Curves, chart_picture
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider, TextLine
from bertviz_core.views.parts import Part, Picture
from bertviz_core.views.view import (
    View,
    beside,
    caption,
    note,
    picture,
    program,
    say,
    table,
    truncated,
)

HELP = (
    "Shuffle: the words swap their positions; special tokens keep theirs. Shift: every position "
    "grows by a number. Zero: all tokens are at position 0. Flip segments: A and B are swapped."
)
# Of each change: the beginning of a sentence, and the colour of its curve.
LOOKS: dict[Change, tuple[str, str]] = {
    "shift": ("Shifting all positions by {}", colors.POSITION),
    "shuffle": ("Shuffling the words' positions", colors.POSITION),
    "zero": ("Putting all tokens at position 0", colors.POSITION),
    "flip segments": ("Flipping the segments", colors.SEGMENT),
}
BETWEEN_TOKENS = "two tokens of the text"
MAX_ORDER = 99
ROW, MIN_HEIGHT, MAX_HEIGHT = 24, 220, 560  # pixels of a row, and of a heatmap


@once_in_turn
def hidden_states(encoder: Encoder, typed: InputText) -> Array:
    """The text without any change, at all layers."""
    return encoder.hidden_states(typed.tokenize(encoder.bert))


@once_in_turn
def _change(encoder: Encoder, typed: InputText, change: Change, shift: int, order: int) -> Array:
    """How far each token moves at each layer."""
    text = typed.tokenize(encoder.bert)
    changed = changed_text(encoder.bert, text, change, shift=shift, order=order)
    return change_by_layer(hidden_states(encoder, typed), encoder.hidden_states(changed))


def _room(page: Mapping[str, Any]) -> int:
    """By how much all positions of a text can be shifted."""
    text = InputText(page["xa"], page["xb"]).tokenize(page["bert"])
    return int(page["bert"].max_position_embeddings) - len(text)


@view("experiments", page="Positions and Segments", rank=60, doing="Running both texts …")
def experiments(
    encoder: AnyEncoder,
    xa: Annotated[
        str, TextLine("Sentence A", key="a", about="sentence A of the experiment")
    ] = "The dog bites the man.",
    xb: Annotated[
        str,
        TextLine("Sentence B (optional)", about="sentence B of the experiment", placeholder="none"),
    ] = "He runs away.",
    change: Annotated[
        Change, Choice("Change", CHANGES, about="what the experiment changes", help=HELP)
    ] = "shuffle",
    order: Annotated[
        int,
        Slider(
            "Order (seed)",
            0,
            MAX_ORDER,
            when=lambda page: page["change"] == "shuffle",
            about="seed of the shuffle",
        ),
    ] = 0,
    shift: Annotated[
        int,
        Slider(
            "Shift by",
            0,
            _room,
            when=lambda page: page["change"] == "shift" and _room(page) > 0,
            about="by how much positions are shifted",
        ),
    ] = 100,
) -> View:
    """How far each token moves when positions or segments are changed and the words are not."""
    bert = encoder.bert
    typed = InputText(xa, xb)
    text = typed.tokenize(bert)
    shift = min(shift, bert.max_position_embeddings - len(text))
    changed = changed_text(bert, text, change, shift=shift, order=order)
    between_tokens = between_tokens_by_layer(hidden_states(encoder, typed))
    changes: dict[Change, Array] = {}
    notes: list[Part] = []
    for name in (change, *(other for other in CHANGES if other != change)):
        amounts = shift if name == "shift" else 0, order if name == "shuffle" else 0
        try:
            changes[name] = _change(encoder, typed, name, *amounts)
        except UserInputError as error:
            notes.append(note("{reason}", reason=error))
    if change == "shuffle":
        tokens = (text.tokens[i] for i in np.argsort(changed.position_ids, kind="stable"))
        notes.append(caption("By position now: {order}", order=" ".join(tokens)))
    curves: dict[str, Any] = {
        name: by_token.mean(axis=1, dtype=np.float64) for name, by_token in changes.items()
    }
    columns = {"layer": range(len(between_tokens)), **curves, BETWEEN_TOKENS: between_tokens}
    shades = {name: LOOKS[name][1] for name in changes} | {BETWEEN_TOKENS: colors.MUTED}
    chart = Curves("mean change, 1 − cosine", shades, axis={"rangemode": "tozero"})
    return View(
        truncated(text),
        notes,
        say(
            "{change} moves the tokens by <b>{moved:.3f}</b> on average. Two tokens of this text "
            "are {apart:.3f} apart (1 − cosine after the last layer).",
            method="changing-positions-and-segments",
            change=LOOKS[change][0].format(shift),
            moved=float(changes[change][-1].mean()),
            apart=float(between_tokens[-1]),
        ),
        beside(
            [
                caption("Change of every token at every layer, 1 − cosine"),
                _change_heatmap(changes[change], numbered(text.tokens)),
            ],
            [
                caption("Beside the other changes, mean over the tokens"),
                chart_picture(columns, chart, name="changes-compared"),
                table(columns, name="changes-compared", fold="Table of the curves"),
            ],
            widths=(3, 2),
        ),
        table(
            {
                "token": text.tokens,
                "position": text.position_ids,
                "new position": changed.position_ids,
                "segment": text.columns()["segment"],
                "new segment": changed.columns()["segment"],
            }
            | {f"layer {layer}": values for layer, values in enumerate(changes[change])},
            name="changes",
            fold="Table of the tokens",
        ),
        program(
            PROGRAM,
            bert,
            typed,
            position_ids=changed.position_ids.tolist(),
            token_type_ids=changed.token_type_ids.tolist(),
            name="experiment",
        ),
    )


def _change_heatmap(values: Array, names: list[str]) -> Picture:
    """Draw (layers, tokens) changes: tokens down, layers across."""
    height = int(np.clip(len(names) * ROW, MIN_HEIGHT, MAX_HEIGHT))
    cells = heatmap(
        values.T,
        "%{customdata}<br>layer %{x}<br>1 − cosine %{z:.3f}",
        colors.CHANGE,
        (0, max(float(values.max(initial=0)), 1e-6)),
        colorbar={"title": {"text": "1 − cosine"}},
        customdata=[[name] * len(values) for name in names],
    )
    return picture(
        draw([cells], height=height + 100, xaxis=layers(), yaxis=named_rows(names, height // 14)),
        alt=f"Heatmap of the change of {len(names)} tokens over layers 0 to {len(values) - 1}: "
        f"mean {values[0].mean():.3f} at the input, {values[-1].mean():.3f} after the last layer.",
        name="changes",
    )


PROGRAM = '''
"""How far each token moves at each layer when positions or segments are changed."""

position_ids = ...
token_type_ids = ...
tokenizer, model, inputs = ...
ids = {
    "position_ids": torch.tensor([position_ids]),
    "token_type_ids": torch.tensor([token_type_ids]),
}
with torch.no_grad():
    before = model(**inputs, output_hidden_states=True).hidden_states
    after = model(inputs["input_ids"], **ids, output_hidden_states=True).hidden_states
states = [torch.cat(layers).double() for layers in (before, after)]
for layer, cosines in enumerate(torch.cosine_similarity(*states, dim=2)):
    print(layer, *(f"{1 - cosine:.4f}" for cosine in cosines))
'''
