"""Experiments with positions and segments: what a change does to every token, by layer."""

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.encoder import Encoder
from bertviz_core.figures import colors
from bertviz_core.figures.drawing import Figure, draw, heatmap, layers, named_rows, numbered
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
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider, TextLine
from bertviz_core.views.view import View, caption, program, say, truncated

HELP = (
    "Shuffle: the words swap their positions; special tokens keep theirs. Shift: every position "
    "grows by a number. Zero: all tokens are at position 0. Flip segments: A and B are swapped."
)
# Of each change, the beginning of a sentence.
DOINGS: dict[Change, str] = {
    "shift": "Shifting all positions by {}",
    "shuffle": "Shuffling the words' positions",
    "zero": "Putting all tokens at position 0",
    "flip segments": "Flipping the segments",
}
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
    changes = _change(encoder, typed, change, shift, order)
    by_position = (text.tokens[i] for i in np.argsort(changed.position_ids, kind="stable"))
    return card(
        [
            *truncated(text),
            say(
                "{change} moves the tokens by <b>{moved:.3f}</b> on average. Two tokens of this "
                "text are {apart:.3f} apart (1 − cosine after the last layer).",
                method="changing-positions-and-segments",
                change=DOINGS[change].format(shift),
                moved=float(changes[-1].mean()),
                apart=float(between_tokens[-1]),
            ),
        ],
        name="changes",
        columns={
            "token": text.tokens,
            "position": text.position_ids,
            "new position": changed.position_ids,
            "segment": text.columns()["segment"],
            "new segment": changed.columns()["segment"],
            **{f"layer {layer}": values for layer, values in enumerate(changes)},
        },
        chart=_change_heatmap(changes, numbered(text.tokens)),
        alt=f"Heatmap of the change of {len(text)} tokens over layers 0 to {len(changes) - 1}: "
        f"mean {changes[0].mean():.3f} at the input, {changes[-1].mean():.3f} after the last "
        "layer.",
        below=caption("By position now: {order}", order=" ".join(by_position))
        if change == "shuffle"
        else [],
        program=program(
            PROGRAM,
            bert,
            typed,
            position_ids=changed.position_ids.tolist(),
            token_type_ids=changed.token_type_ids.tolist(),
            name="experiment",
        ),
    )


def _change_heatmap(values: Array, names: list[str]) -> Figure:
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
    return draw([cells], height=height + 100, xaxis=layers(), yaxis=named_rows(names, height // 14))


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
