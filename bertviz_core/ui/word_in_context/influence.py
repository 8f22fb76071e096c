"""Which other word of the sentence makes the word what it is."""

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.calibration import Calibration
from bertviz_core.contextual import WordInContext, similarity_by_layer
from bertviz_core.contextual.influence import Change, ChangedContexts, influence
from bertviz_core.figures.contextual.influence import MOST_LABELS, influence_bars, influence_map
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs, slots
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.percentiles import after, column
from bertviz_core.ui.show import chart, code, csv_download, table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context import results as context_cache
from bertviz_core.ui.word_in_context.words import Compared, choose, span

if TYPE_CHECKING:
    import pandas as pd

CHANGES: dict[str, Change] = {"mask it": "mask", "drop it": "drop"}
WITHOUT = {"mask": "masked", "drop": "dropped"}
ROUNDING = 1e-5  # what another batch of the same sentences may change


def which_word(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Take each other word away and show how the similarity to an anchor changes."""
    place, anchor, change = _asked(compared)
    word = compared.words[place]
    with waiting("Running the sentence without each other word …", height=420):
        changed = context_cache.changed_contexts(compared.bert.name, compared.asked, place, change)
    changes = influence(word, changed, compared.everything[anchor])
    if changed.total > len(changed.others):
        note(
            "The sentence has {total} other words; the {kept} nearest to {word} are taken away "
            "in turn.",
            total=changed.total,
            kept=len(changed.others),
            word=word.word,
        )
    anchors = compared.names[anchor]
    _finding(compared, place, anchor, changed, changes, layer, calibration)
    # The followed word keeps its place in the sentence; it has no bar.
    followed = sum(other.positions[0] < word.token_positions[0] for other in changed.others)
    names = [other.word for other in changed.others]
    names.insert(followed, word.word)
    drawn = np.insert(changes, followed, np.nan, axis=1)
    original = similarity_by_layer(word, compared.everything[anchor])
    said = [
        ""
        if place == followed
        else f"similarity {original[layer] + one:.3f}"
        + after(calibration, float(original[layer] + one), layer)
        for place, one in enumerate(drawn[layer])
    ]
    strongest = int(np.argmax(np.abs(changes[layer])))
    alt = (
        f"Bars over the sentence: change of the similarity of {word.word} to {anchors} at layer "
        f"{layer} when each other word is {WITHOUT[change]}; the largest is "
        f"{changes[layer, strongest]:+.3f}, for {changed.others[strongest].word}."
    )
    chart(influence_bars(drawn[layer], names, followed, said), alt=alt, name="influence")
    st.caption(
        "Below zero: the word draws the followed one (shaded) towards the anchor, for without it "
        "they are less alike. Words are those of BERT's tokenizer; signs count as words."
        + (
            f" Of the {len(names)} words those that change it most are named; all are in the table."
            if len(names) > MOST_LABELS
            else ""
        )
    )
    _table(changed, changes[layer], float(original[layer]), layer, calibration, compared, anchor)
    st.text(f"The same at every layer: change of the similarity to “{anchors}”")
    chart(
        influence_map(drawn, names, followed, layer=layer),
        alt=f"Heatmap of the same change over layers 0 to {len(changes) - 1}, from "
        f"{changes.min():+.3f} to {changes.max():+.3f}.",
        name="influence-layers",
    )
    csv_download(
        "All layers as CSV",
        lambda: _all_layers(changed, changes, original),
        name="influence-layers",
    )
    pooling = compared.asked.pooling
    others = [(other.word, list(other.positions)) for other in changed.others]
    code(
        lambda: filled(
            "contextual/influence",
            compared.bert,
            word=span(word),
            anchor=span(compared.everything[anchor]),
            others=others,
            change=change,
            pooling=pooling,
            layer=layer,
        ),
        name="influence",
    )


def _asked(compared: Compared) -> tuple[int, int, Change]:
    """Word, anchor (as places in `everything`) and kind of change."""
    names, count = compared.names, len(compared.words)
    fields = slots.row("influence", 3 if count > 1 else 2)
    with fields[0]:
        place = choose("Word to follow", names[:count], key="target")
    # Anchors come first; the other marked words will do as well.
    rest = [*range(count, len(names)), *(i for i in range(count) if i != place)]
    with fields[-2]:
        anchor = rest[choose("Similarity to", [names[i] for i in rest], key="against")]
    with fields[-1]:
        change = inputs.choice(
            "Each other word in turn:",
            CHANGES,
            key="without",
            help="Masking puts [MASK] in its place, so all others keep their positions; dropping "
            "takes it out and moves the words after it.",
        )
    return place, anchor, change


def _finding(
    compared: Compared,
    place: int,
    anchor: int,
    changed: ChangedContexts,
    changes: Array,
    layer: int,
    calibration: Calibration | None,
) -> None:
    word, other = compared.words[place], compared.everything[anchor]
    original = float(similarity_by_layer(word, other)[layer])
    row = changes[layer]
    values: dict[str, object] = {
        "layer": layer,
        "word": word.word,
        "sentence": compared.sentence(place),
        "anchor": other.word,
        "cosine": f"{original:.3f}",
        "worth": after(calibration, original, layer),
        "done": WITHOUT[changed.change],
    }
    text = (
        "At layer {layer}, <b>{word}</b> in “{sentence}” has similarity <b>{cosine}</b> to "
        "<b>{anchor}</b>{worth}. "
    )
    if np.abs(row).max() < ROUNDING:
        finding(
            text + "No other word changes it when it is {done}"
            + (": the input embedding knows no other word." if layer == 0 else "."),
            **values,
        )  # fmt: skip
        return
    most = int(np.argmax(np.abs(row)))
    without = original + float(row[most])
    values |= {
        "strongest": changed.others[most].word,
        "without": f"{without:.3f}",
        "then": after(calibration, without, layer),
        "change": f"{row[most]:+.3f}".replace("-", "−"),
    }
    text += (
        "With <b>{strongest}</b> {done} it is <b>{without}</b> ({change}){then}: "
        "no other word changes it more."
    )
    finding(text, **values)


def _table(
    changed: ChangedContexts,
    row: Array,
    original: float,
    layer: int,
    calibration: Calibration | None,
    compared: Compared,
    anchor: int,
) -> None:
    import pandas as pd

    columns: dict[str, Any] = {
        "word": [other.word for other in changed.others],
        "position": [other.positions[0] for other in changed.others],
        "change": row,
        "similarity without it": original + row,
    }
    if calibration is not None:
        columns["percentile"] = column(
            calibration.percentiles(columns["similarity without it"], layer)
        )
        centred = calibration.centred_cosines(
            changed.vectors[:, layer], _vector(compared.everything[anchor], layer), layer
        )[:, 0]
        columns["mean-centred"] = centred
        columns["mean-centred, percentile"] = column(
            calibration.percentiles(centred, layer, centred=True)
        )
    table(pd.DataFrame(columns), name=f"influence-layer-{layer}")


def _vector(word: WordInContext, layer: int) -> Array:
    return word.vectors[layer][None]


def _all_layers(changed: ChangedContexts, changes: Array, original: Array) -> "pd.DataFrame":
    import pandas as pd

    words = [f"{other.positions[0]} {other.word}" for other in changed.others]
    frame = pd.DataFrame(changes, columns=words)
    frame.insert(0, "similarity with all words", original)
    frame.insert(0, "layer", np.arange(len(frame)))
    return frame
