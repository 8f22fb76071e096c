"""Which other word of the sentence makes the word what it is."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.calibration.percentiles import after, columns_with_centred
from bertviz_core.contextual.occlusion import MASK, OccludedContexts, Removal, influence
from bertviz_core.figures.axes import MOST_UPRIGHT
from bertviz_core.figures.contextual.influence import influence_bars, influence_map
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.models import trained_for
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context.attention import what_it_attends_to
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.numbers import rounded, signed
from bertviz_core.ui.word_in_context.results import occluded_contexts
from bertviz_core.ui.word_in_context.words import choose_pair

REMOVALS: dict[str, Removal] = {"mask it": "mask", "drop it": "drop"}
WITHOUT: dict[Removal, str] = {"mask": "replaced by [MASK]", "drop": "dropped"}
OTHER_WAY: dict[Removal, Removal] = {"mask": "drop", "drop": "mask"}
IN_TURN: dict[Removal, str] = {"mask": "Masking each word", "drop": "Dropping each word"}
ROUNDING = 1e-5  # what another batch of the same sentences may change


def influences(compared: Compared) -> None:
    """Take each other word away and show how the similarity to an anchor changes."""
    number, anchor_number, beside = choose_pair(compared, "influence")
    with beside:
        change = inputs.choice(
            "Each other word in turn",
            REMOVALS,
            key="without",
            help="Masking puts [MASK] in its place, so all others keep their positions; dropping "
            "takes it out and moves the words after it.",
        )
    layer, word = compared.layer, compared.words[number]
    anchor, anchor_name = compared.everything[anchor_number], compared.names[anchor_number]
    with waiting("Running the sentence without each other word …", height=420):
        changed = occluded_contexts(compared.bert.name, compared.comparison, number, change, word)
        again = None
        if change == "drop" and MASK not in compared.bert.vocabulary.ids:
            note("Only dropping can be tried: the vocabulary of this model has no [MASK].")
        else:
            again = occluded_contexts(
                compared.bert.name, compared.comparison, number, OTHER_WAY[change], word
            )
    others, original = changed.others, compared.cosines[number, anchor_number]
    scale = compared.scale(number, anchor_number)
    changes = influence(word, changed, anchor)
    if changed.total > len(others):
        note(
            "The sentence has {total} other words; the {count} nearest to {word} are taken away "
            "in turn.",
            total=changed.total,
            count=len(others),
            word=word.word,
        )
    _finding(
        compared,
        (number, anchor_number),
        anchor.word,
        changed,
        changes[layer],
        float(original[layer]),
        None if again is None else influence(word, again, anchor)[layer],
    )
    # The followed word keeps its place in the sentence; it has no bar.
    followed = sum(other.positions[0] < word.token_positions[0] for other in others)
    names = [other.word for other in others]
    names.insert(followed, word.word)
    drawn = np.insert(changes, followed, np.nan, axis=1)
    hints = [
        f"similarity {cosine:.3f}{after(scale, cosine, layer)}"
        for cosine in (original[layer] + changes[layer]).tolist()
    ]
    hints.insert(followed, "")
    strongest = int(np.argmax(np.abs(changes[layer])))
    chart(
        influence_bars(drawn[layer], names, followed, hints),
        alt=f"Bars over the sentence: change of the similarity of {word.word} to {anchor_name} at "
        f"layer {layer} when each other word is {WITHOUT[change]}; the largest is "
        f"{changes[layer, strongest]:+.3f}, for {others[strongest].word}.",
        name="influence",
        of=compared.made,
    )
    caption(
        "Below zero: without the word, {word} (shaded) and {anchor} are less alike, so it draws "
        "them together. Punctuation counts as words."
        + (
            f" Of the {len(names)} words those that change it most are named; all are in the table."
            if len(names) > MOST_UPRIGHT
            else ""
        ),
        word=word.word,
        anchor=anchor_name,
    )
    if change == "mask":
        trained_for(compared.bert)
    calibration, without = compared.calibration, original[layer] + changes[layer]
    centred = None
    if calibration is not None:
        centred = calibration.centred_cosines(
            changed.vectors[:, layer], anchor.vectors[layer][None], layer
        )[:, 0]
    columns: dict[str, Any] = {
        "word": [other.word for other in others],
        "position": [other.positions[0] for other in others],
        "change": changes[layer],
    }
    columns |= columns_with_centred("similarity without it", without, centred, scale, layer)

    def by_layer() -> dict[str, Any]:
        return {"layer": np.arange(len(changes)), "similarity with all words": original} | {
            f"{other.positions[0]} {other.word}": column
            for other, column in zip(others, changes.T, strict=True)
        }

    folded_table(
        "Table",
        lambda: columns,
        key="influence-numbers",
        name="influence",
        files={"All layers as CSV": ("influence-layers", by_layer)},
        of=compared.made,
    )
    st.text(f"The same at every layer: change of the similarity to “{anchor_name}”")
    chart(
        influence_map(drawn, names, followed, layer=layer),
        alt=f"Heatmap of the same change over layers 0 to {len(changes) - 1}, from "
        f"{changes.min():+.3f} to {changes.max():+.3f}.",
        name="influence-layers",
        of=compared.made,
    )
    code(
        "contextual/influence",
        compared.bert,
        word=span(word),
        anchor=span(anchor),
        others=[(other.word, list(other.positions)) for other in others],
        change=change,
        pooling=compared.comparison.pooling,
        layer=layer,
    )
    with slots.part("attention"):
        what_it_attends_to(compared, number, anchor_number, changed, changes)


def _finding(
    compared: Compared,
    pair: tuple[int, int],
    anchor: str,
    changed: OccludedContexts,
    changes: Array,
    original: float,
    otherwise: Array | None,
) -> None:
    values: dict[str, object] = {
        "layer": compared.layer,
        "word": compared.words[pair[0]].word,
        "anchor": anchor,
        "cosine": rounded(original, 3),
        "done": WITHOUT[changed.removal],
    }
    strongest = int(np.argmax(np.abs(changes)))
    change = float(changes[strongest])
    told = ""
    if otherwise is not None:
        told, more = _other_way(changed, changes, otherwise)
        values |= more
    if abs(change) < ROUNDING:
        why = ": the input embedding knows no other word" if compared.layer == 0 else ""
        finding(
            "At layer {layer}, {word} and {anchor} have similarity <b>{cosine}</b>, and no other "
            f"word changes it when it is {{done}}{why}.{told}",
            method="taking-words-away",
            **values,
        )
        return
    finding(
        "At layer {layer}, with <b>{strongest}</b> {done}, {word} and {anchor} have similarity "
        f"<b>{{without}}</b> instead of <b>{{cosine}}</b>: no other word changes it more.{told}",
        strongest=changed.others[strongest].word,
        without=rounded(original + change, 3),
        method="taking-words-away",
        **values,
    )


def _other_way(
    changed: OccludedContexts, changes: Array, otherwise: Array
) -> tuple[str, dict[str, object]]:
    """Say whether the other way of taking words away names the same word, and values for it."""
    way = IN_TURN[OTHER_WAY[changed.removal]]
    named = int(np.argmax(np.abs(otherwise)))
    if abs(float(otherwise[named])) < ROUNDING:
        return f" {way} changes nothing.", {}
    first = int(np.argmax(np.abs(changes)))
    verb = "names"
    if named == first:
        same_side = float(changes[first]) * float(otherwise[first]) > 0
        verb = "names the same word," if same_side else "names it with the other sign,"
    return f" {way} {verb} <b>{{named}}</b> ({{named-change}}); " + (
        "the two agree in sign for {agree} of {words} words."
    ), {
        "named": changed.others[named].word,
        "named-change": signed(float(otherwise[named])),
        "agree": int((np.sign(changes) == np.sign(otherwise)).sum()),
        "words": len(changed.others),
    }
