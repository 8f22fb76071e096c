"""Experiments with positions and segments: what a change does to every token, by layer."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.figures import colors
from bertviz_core.figures.positions.changes import change_curves, change_heatmap
from bertviz_core.figures.positions.curves import Curve
from bertviz_core.positions.changes import CHANGES, Array, Change, Ids, changed_ids
from bertviz_core.snippets.positions import experiment_code
from bertviz_core.tokens import TokenizedText, tokenize
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.chips import say_truncated
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.memory import models
from bertviz_core.ui.positions import results as position_cache
from bertviz_core.ui.positions.results import Moved
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.waiting import waiting

if TYPE_CHECKING:
    import pandas as pd

CHANGE_CHOICES: dict[str, Change] = {change: change for change in CHANGES}
HELP = (
    "Shuffle deals the positions of the words out anew; [CLS] and [SEP] keep theirs. Shift adds a "
    "number to every position. Zero puts all tokens at position 0. Flip segments swaps A and B."
)
LOOKS: dict[Change, tuple[str, str]] = {
    "shift": (colors.POSITION, "dot"),
    "shuffle": (colors.POSITION, "solid"),
    "zero": (colors.POSITION, "dash"),
    "flip segments": (colors.SEGMENT, "solid"),
}
MOST_SHIFT, ORDERS = 100, 99


@dataclass(frozen=True, eq=False)
class Asked:
    """What was typed, as tokens, and by how much positions are changed."""

    bert: Bert
    first: str
    second: str | None
    tokens: TokenizedText
    shift: int = 0
    order: int = 0

    def ids(self, change: Change) -> tuple[Ids, Ids]:
        """Positions and segments after a change; see `changes.changed_ids`."""
        return changed_ids(self.bert, self.tokens, change, shift=self.shift, order=self.order)

    def moved(self, change: Change) -> Moved:
        """What a change does to the text, from the model."""
        return position_cache.moved(
            self.bert.name, self.first, self.second, change, self.shift, self.order
        )


def experiments(bert: Bert) -> None:
    """Ask for a text and a change, and follow it through the layers."""
    with slots.panel("change"):
        text = _ask_text(bert)
        change = inputs.choice("Change", CHANGE_CHOICES, key="change", help=HELP)
        text = _ask_amounts(text)
    _follow(text, change)


def downstream(bert: Bert) -> None:
    """Follow flipped segments through the layers."""
    st.subheader("What the segment changes downstream", anchor=False)
    with slots.panel("change"):
        text = _ask_text(bert)
    _follow(text, "flip segments")


def _ask_text(bert: Bert) -> Asked:
    left, right = slots.row("texts", 2)
    with left:
        first = inputs.sentence("Sentence A", "The dog bites the man.", key="xa")
    with right:
        typed = inputs.sentence(
            "Sentence B (optional)", "He runs away.", key="xb", placeholder="none"
        )
    second = typed if typed.strip() else None
    text = tokenize(bert, first, second)
    room = bert.max_position_embeddings - len(text)
    return Asked(bert, first, second, text, shift=min(MOST_SHIFT, room))


def _ask_amounts(text: Asked) -> Asked:
    left, right = slots.row("amounts", 2)
    with left:
        order = inputs.number("Order of the shuffle (seed)", 0, ORDERS, 0, key="order")
    room = text.bert.max_position_embeddings - len(text.tokens)
    with right:
        if room:
            shift = inputs.number("Shift by", 0, room, text.shift, key="shift")
        else:
            shift = 0
            st.caption(f"The text fills all {len(text.tokens)} positions: no room to shift it.")
    return replace(text, order=order, shift=shift)


def _follow(text: Asked, change: Change) -> None:
    say_truncated(text.tokens)
    places, segments = text.ids(change)
    name = text.bert.name
    if change == "shuffle":
        order = np.argsort(places, kind="stable")
        st.text("By position now: " + " ".join(text.tokens.tokens[i] for i in order))
    asking = st.empty()
    if not models.has_encoder(name) and not asking.button(
        "Run the model with this change", icon=":material/play_arrow:", key="run_change",
        type="primary",
    ):  # fmt: skip
        st.caption("Loads the whole model once, a few seconds; afterwards results come at once.")
        return
    asking.empty()
    with waiting("Running the model with and without the change …", height=560):
        moved = text.moved(change)
    _say_finding(text, change, moved)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        st.text("Change of every token at every layer, 1 − cosine")
        chart(
            change_heatmap(moved.by_layer, text.tokens.tokens),
            alt=f"Heatmap of the change of {len(text.tokens)} tokens over layers 0 to "
            f"{len(moved.by_layer) - 1}: {_said(text, change)}; mean "
            f"{moved.by_layer[0].mean():.3f} at the input, {moved.by_layer[-1].mean():.3f} after "
            "the last layer.",
            name="changes",
        )
    with right:
        st.text("Beside the other changes, mean over the tokens")
        _compare(text, change, moved)
    with st.expander("The numbers of every token", icon=":material/table:"):
        table(_token_frame(text, places, segments, moved), name="changes", height=320)
    code(
        lambda: experiment_code(
            text.bert, text.first, text.second, places.tolist(), segments.tolist()
        ),
        name="experiment",
    )


def _say_finding(text: Asked, change: Change, moved: Moved) -> None:
    last = moved.by_layer[-1]
    most = int(last.argmax())
    finding(
        "{said} moves the tokens of this text by <b>{end}</b> on average after the last layer "
        "({start} at the input). Two tokens of the unchanged text lie {apart} apart there. "
        "The token “<b>{token}</b>” at position {place} moves most, by <b>{largest}</b>.",
        said=_said(text, change),
        end=f"{last.mean():.3f}",
        start=f"{moved.by_layer[0].mean():.3f}",
        apart=f"{moved.apart[-1]:.3f}",
        token=text.tokens.tokens[most],
        place=most,
        largest=f"{last[most]:.3f}",
    )


def _compare(text: Asked, chosen: Change, moved: Moved) -> None:
    """Draw the mean change by layer of all changes this text and model allow."""
    curves = [_curve(text, chosen, moved.by_layer)]
    refused = []
    for change in CHANGES:
        if change == chosen:
            continue
        try:
            text.ids(change)
        except UserInputError as error:
            refused.append(str(error))
            continue
        with waiting("Running the other changes …", height=400):
            curves.append(_curve(text, change, text.moved(change).by_layer))
    curves.append(Curve("two tokens of the text", moved.apart, colors.MUTED, "dot"))
    chart(
        change_curves(curves),
        alt="Mean change after the last layer: "
        + "; ".join(f"{curve.name} {curve.values[-1]:.3f}" for curve in curves)
        + ".",
        name="changes-compared",
    )
    for reason in refused:
        note("{reason}", reason=reason)
    with st.expander("The numbers of the curves", icon=":material/table:"):
        table(_curve_frame(curves), name="changes-compared")


def _curve(text: Asked, change: Change, by_layer: Array) -> Curve:
    color, dash = LOOKS[change]
    mean: Array = by_layer.mean(axis=1, dtype=np.float64).astype(np.float32)
    name = {
        "shuffle": "words' positions shuffled",
        "shift": f"positions shifted by {text.shift}",
        "zero": "all at position 0",
        "flip segments": "segments flipped",
    }[change]
    return Curve(name, mean, color, dash)


def _said(text: Asked, change: Change) -> str:
    return {
        "shuffle": "Shuffling the words' positions",
        "shift": f"Shifting all positions by {text.shift}",
        "zero": "Putting all tokens at position 0",
        "flip segments": "Flipping the segments",
    }[change]


def _token_frame(text: Asked, places: Ids, segments: Ids, moved: Moved) -> "pd.DataFrame":
    import pandas as pd

    columns: dict[str, object] = {
        "token": text.tokens.tokens,
        "position": text.tokens.position_ids,
        "new position": places,
        "segment": ["AB"[i] if i < 2 else str(i) for i in text.tokens.token_type_ids],
        "new segment": ["AB"[i] if i < 2 else str(i) for i in segments],
    }
    for layer, change in enumerate(moved.by_layer):
        columns[f"layer {layer}"] = change
    return pd.DataFrame(columns)


def _curve_frame(curves: list[Curve]) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(
        {"layer": np.arange(len(curves[0].values))} | {curve.name: curve.values for curve in curves}
    )
