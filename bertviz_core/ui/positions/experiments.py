"""Experiments with positions and segments: what a change does to every token, by layer."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array, Ids
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.figures import colors
from bertviz_core.figures.positions.curves import Curve, change_curves
from bertviz_core.figures.positions.tables import change_heatmap
from bertviz_core.positions.changes import CHANGES, Change, changed_text
from bertviz_core.tokens import InputText, TokenizedText
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.chips import say_truncated
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.positions import results
from bertviz_core.ui.positions.results import Moved
from bertviz_core.ui.positions.waves import curve_columns
from bertviz_core.ui.results import ready_or_asked
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting

HELP = (
    "Shuffle gives the positions of the words to other words; the special tokens keep theirs. "
    "Shift adds a number to every position. Zero puts all tokens at position 0. Flip segments "
    "swaps A and B."
)
# Of each change: the beginning of a sentence, the name of its curve, its colour and dash.
LOOKS: dict[Change, tuple[str, str, str, str]] = {
    "shift": ("Shifting all positions by {}", "positions shifted by {}", colors.POSITION, "dot"),
    "shuffle": (
        "Shuffling the words' positions",
        "words' positions shuffled",
        colors.POSITION,
        "solid",
    ),
    "zero": ("Putting all tokens at position 0", "all at position 0", colors.POSITION, "dash"),
    "flip segments": ("Flipping the segments", "segments flipped", colors.SEGMENT, "solid"),
}
MOST_SHIFT, ORDERS = 100, 99


@dataclass(frozen=True, eq=False)
class Experiment:
    """A text, and by how much its positions are changed.

    Attributes:
        bert: The checkpoint in use.
        typed: The text and its pair.
        text: The same as tokens.
        shift: What is added to every position, for "shift".
        order: Seed of the order, for "shuffle".
    """

    bert: Bert
    typed: InputText
    text: TokenizedText
    shift: int
    order: int

    def ids(self, change: Change) -> tuple[Ids, Ids]:
        """Positions and segments after a change; see `changes.changed_text`."""
        text = changed_text(self.bert, self.text, change, shift=self.shift, order=self.order)
        return text.position_ids, text.token_type_ids

    def moved(self, change: Change) -> Moved:
        """What a change does to the text, from the model."""
        return results.moved(self.bert.name, self.typed, change, self.shift, self.order)

    def sentence(self, change: Change) -> str:
        """The beginning of a sentence about a change."""
        return LOOKS[change][0].format(self.shift)

    def curve(self, change: Change, by_layer: Array) -> Curve:
        """The mean change of the tokens by layer."""
        _, name, color, dash = LOOKS[change]
        mean: Array = by_layer.mean(axis=1, dtype=np.float64).astype(np.float32)
        return Curve(name.format(self.shift), mean, color, dash)


def experiments(bert: Bert) -> None:
    """Ask for a text and a change, and follow it through the layers."""
    with slots.part("change"):
        with slots.cells("texts", 2):
            first = inputs.sentence("Sentence A", "The dog bites the man.", key="xa")
            label = "Sentence B (optional)"
            second = inputs.sentence(label, "He runs away.", key="xb", placeholder="none")
        typed = InputText(first, second)
        text = typed.tokenize(bert)
        change = inputs.choice("Change", CHANGES, key="change", help=HELP)
        room = bert.max_position_embeddings - len(text)
        shift, order = min(MOST_SHIFT, room), 0
        with slots.part("slim-amount"):
            if change == "shuffle":
                order = inputs.number("Order of the shuffle (seed)", 0, ORDERS, order, key="order")
            elif change == "shift" and room:
                shift = inputs.number("Shift by", 0, room, shift, key="shift")
            elif change == "shift":
                st.caption(f"The text fills all {len(text)} positions: no room to shift it.")
    _follow(Experiment(bert, typed, text, shift, order), change)


def _follow(experiment: Experiment, change: Change) -> None:
    text = experiment.text
    say_truncated(text)
    positions, segments = experiment.ids(change)
    if change == "shuffle":
        order = np.argsort(positions, kind="stable")
        st.text("By position now: " + " ".join(text.tokens[i] for i in order))
    if not ready_or_asked(experiment.bert, "Run the model with this change", key="run_change"):
        return
    with waiting("Running the model with and without the change …", height=560):
        moved = experiment.moved(change)
    _say_finding(experiment, change, moved)
    left, right = slots.row("changes", [3, 2], gap="medium")
    with left:
        st.text("Change of every token at every layer, 1 − cosine")
        chart(
            change_heatmap(moved.by_layer, text.tokens),
            alt=f"Heatmap of the change of {len(text)} tokens over layers 0 to "
            f"{len(moved.by_layer) - 1}: {experiment.sentence(change)}; mean "
            f"{moved.by_layer[0].mean():.3f} at the input, {moved.by_layer[-1].mean():.3f} after "
            "the last layer.",
            name="changes",
        )
    with right:
        st.text("Beside the other changes, mean over the tokens")
        _compare(experiment, change, moved)
    folded_table(
        "Table of the tokens",
        lambda: _token_columns(text, positions, segments, moved),
        key="token-numbers",
        name="changes",
    )
    code(
        "positions/experiment",
        experiment.bert,
        experiment.typed,
        position_ids=positions.tolist(),
        token_type_ids=segments.tolist(),
    )


def _say_finding(experiment: Experiment, change: Change, moved: Moved) -> None:
    last = moved.by_layer[-1]
    most = int(last.argmax())
    finding(
        "{change} moves the tokens by <b>{moved}</b> on average (1 − cosine after the last layer; "
        "two tokens of this text are {apart} apart).",
        method="changing-positions-and-segments",
        change=experiment.sentence(change),
        moved=f"{last.mean():.3f}",
        apart=f"{moved.apart[-1]:.3f}",
    )
    caption(
        "At the input it is {moved_input}. The token “{token}” at position {position} moves most, "
        "by {moved_most}.",
        moved_input=f"{moved.by_layer[0].mean():.3f}",
        token=experiment.text.tokens[most],
        position=most,
        moved_most=f"{last[most]:.3f}",
    )


def _compare(experiment: Experiment, chosen: Change, moved: Moved) -> None:
    """Draw the mean change by layer of all changes this text and model allow."""
    curves = [experiment.curve(chosen, moved.by_layer)]
    refused = []
    with waiting("Running the other changes …", height=400):
        for change in CHANGES:
            if change == chosen:
                continue
            try:
                curves.append(experiment.curve(change, experiment.moved(change).by_layer))
            except UserInputError as error:
                refused.append(str(error))
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
    folded_table(
        "Table of the curves",
        lambda: curve_columns(curves, "layer", first=0),
        key="change-numbers",
        name="changes-compared",
    )


def _token_columns(
    text: TokenizedText, positions: Ids, segments: Ids, moved: Moved
) -> dict[str, Any]:
    return {
        "token": text.tokens,
        "position": text.position_ids,
        "new position": positions,
        "segment": _letters(text.token_type_ids),
        "new segment": _letters(segments),
    } | {f"layer {layer}": change for layer, change in enumerate(moved.by_layer)}


def _letters(segments: Ids) -> list[str]:
    return ["AB"[number] if number < 2 else str(number) for number in segments]
