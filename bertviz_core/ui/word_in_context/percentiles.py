"""The page's similarities on the ruler: where each stands among unrelated pairs."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from bertviz_core.calibration import Calibration
from bertviz_core.contextual import similarity_by_layer
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.percentiles import anisotropy, briefly, column, in_words, picture
from bertviz_core.ui.show import table
from bertviz_core.ui.word_in_context.words import Compared, choose

MOST_MARKS = 6


def all_marks(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Show the similarities of a word as marks on the ruler, raw and centred, and anisotropy."""
    if calibration is None:
        note(
            "The model has not been measured yet. Start it by the button above the curves; it "
            "takes some seconds, once, and then this place shows the ruler."
        )
        return
    count = len(compared.words)
    place = choose("Word to follow", compared.names[:count], key="target")
    rest = [i for i in (*range(count, len(compared.names)), *range(count)) if i != place]
    names = [compared.names[i] for i in rest]
    word = compared.words[place]
    raw = [float(similarity_by_layer(word, compared.everything[i])[layer]) for i in rest]
    centred = [
        calibration.centred_cosine(
            word.vectors[layer], compared.everything[i].vectors[layer], layer
        )
        for i in rest
    ]
    finding(
        "At layer {layer}, <b>{word}</b> in “{sentence}” and <b>{other}</b> have similarity "
        "<b>{cosine}</b>: {beside}. Mean-centred it is <b>{centred}</b>{then}.",
        layer=layer,
        word=word.word,
        sentence=compared.sentence(place),
        other=names[0],
        cosine=f"{raw[0]:.3f}",
        beside=in_words(calibration, raw[0], layer),
        centred=f"{centred[0]:.3f}",
        then=briefly(calibration, centred[0], layer, centred=True),
    )
    if len(rest) > MOST_MARKS:
        note(
            "{all} similarities are in the table; the first {most} are marked in the pictures.",
            all=len(rest),
            most=MOST_MARKS,
        )
    _pictures(calibration, raw, centred, names, layer)
    _table(calibration, raw, centred, names, layer)
    st.subheader("How alike unrelated tokens are, layer by layer", anchor=False)
    anisotropy(compared.bert, calibration, layer)


def _pictures(
    calibration: Calibration,
    raw: Sequence[float],
    centred: Sequence[float],
    names: Sequence[str],
    layer: int,
) -> None:
    kinds = (("as they are", "raw", raw), ("mean-centred", "centred", centred))
    for place, (title, name, cosines) in zip(st.columns(2, gap="medium"), kinds, strict=True):
        with place:
            st.text(f"Cosines of {calibration.pairs:,} unrelated pairs at layer {layer}, {title}")
            _apart(calibration, cosines, names, layer, name)


def _apart(
    calibration: Calibration, cosines: Sequence[float], names: Sequence[str], layer: int, kind: str
) -> None:
    """One picture a mark: names of near marks would print over each other."""
    for number, (cosine, name) in enumerate(
        zip(cosines[:MOST_MARKS], names, strict=False), start=1
    ):
        picture(
            calibration,
            [cosine],
            layer,
            name=f"ruler-{kind}-{number}",
            centred=kind == "centred",
            names=[name],
        )


def _table(
    calibration: Calibration,
    raw: Sequence[float],
    centred: Sequence[float],
    names: Sequence[str],
    layer: int,
) -> None:
    import pandas as pd

    columns: dict[str, Any] = {
        "to": names,
        "similarity": raw,
        "percentile": column(calibration.percentiles(raw, layer)),
        "mean-centred": centred,
        "mean-centred, percentile": column(calibration.percentiles(centred, layer, centred=True)),
    }
    table(pd.DataFrame(columns), name=f"ruler-layer-{layer}")
