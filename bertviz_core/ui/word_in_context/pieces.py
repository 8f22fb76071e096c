"""How alike a word stays to itself, its pieces to each other, and what the pooling decides."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.calibration import Calibration
from bertviz_core.calibration.percentiles import cosine_columns
from bertviz_core.contextual.comparisons import (
    compare_poolings,
    piece_similarity,
    self_similarity,
)
from bertviz_core.encoder import POOLINGS
from bertviz_core.figures.contextual.comparisons import pooling_dots
from bertviz_core.figures.contextual.similarity import Panel, similarity_curves
from bertviz_core.ui import links
from bertviz_core.ui.html import caption, finding, joined, note
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.numbers import rounded
from bertviz_core.ui.word_in_context.words import IN_PIECES

MOST_DRAWN = 16
EACH = 240  # pixels: height of a chart of curves


def pieces_and_pooling(compared: Compared) -> None:
    """Show self-similarity, similarity within a word's pieces, and the poolings side by side."""
    st.subheader("A word with itself", anchor=False)
    _self_similarity(compared)
    st.subheader("The pieces of one word", anchor=False)
    _pieces(compared)
    st.subheader("Mean, first, last or max", anchor=False)
    _poolings(compared)
    code(
        "contextual/pieces",
        compared.bert,
        words=[span(word) for word in compared.everything],
        pooling=compared.comparison.pooling,
        layer=compared.layer,
    )


def _self_similarity(compared: Compared) -> None:
    groups: dict[str, list[int]] = {}
    for number, word in enumerate(compared.words):
        groups.setdefault(word.word.casefold(), []).append(number)
    groups = {name: numbers for name, numbers in groups.items() if len(numbers) > 1}
    if not groups:
        note("No word is marked twice; mark the same word in two sentences to compare it.")
        return
    layer = compared.layer
    curves = {
        name: self_similarity([compared.words[number] for number in numbers])
        for name, numbers in groups.items()
    }
    # Words that look the same have equally many pieces, and so one scale.
    scales = {name: compared.scale(numbers[0], numbers[1]) for name, numbers in groups.items()}
    name, curve = next(iter(curves.items()))
    finding(
        "At layer {layer}, the {count} occurrences of <b>{word}</b> have mean similarity "
        "<b>{cosine}</b> to each other ({start} at the input).",
        count=len(groups[name]),
        word=name,
        cosine=rounded(float(curve[layer])),
        layer=layer,
        start=rounded(float(curve[0])),
        method="percentile-scales",
    )
    drawn, scale = dict(curves), scales[name]
    if scale is not None:
        drawn["other pairs, mean"] = scale.anisotropy
    chart(
        similarity_curves(
            [
                Panel(
                    "similarity of a word with itself", list(drawn), np.stack(list(drawn.values()))
                )
            ],
            layer=layer,
            each=EACH,
        ),
        alt="Mean cosine of a word with itself over its sentences, by layer: "
        + "; ".join(f"{title} {row[layer]:.3f} at layer {layer}" for title, row in drawn.items())
        + ".",
        name="self-similarity",
        of=compared.made,
    )
    st.caption(
        "The mean over all pairs of a word's occurrences (self-similarity, Ethayarajh 2019); few "
        "sentences give a rough number." + ("" if scale is None else f" Other pairs: {scale.kind}.")
    )
    _curve_table(drawn, scales, "self-similarity")


def _pieces(compared: Compared) -> None:
    split = {
        name: (word, piece_similarity(word))
        for name, word in zip(compared.names, compared.everything, strict=True)
        if len(word.tokens) > 1
    }
    if not split:
        note("Every word here is one piece. A word that splits shows how its pieces agree.")
        links.row("Try", {"awesomesauce": links.here(**IN_PIECES)})
        return
    layer = compared.layer
    curves = {name: curve for name, (_, curve) in split.items()}
    name = min(curves, key=lambda name: float(curves[name][layer]))
    cosine = float(curves[name][layer])
    finding(
        "At layer {layer}, the pieces of <b>{word}</b> ({pieces}) have mean similarity "
        "<b>{cosine}</b> to each other ({start} at the input).",
        method="pieces-and-poolings",
        layer=layer,
        word=name,
        pieces=" ".join(split[name][0].tokens),
        cosine=rounded(cosine),
        start=rounded(float(curves[name][0])),
    )
    chart(
        similarity_curves(
            [
                Panel(
                    "similarity of the pieces of one word",
                    list(curves),
                    np.stack([*curves.values()]),
                )
            ],
            layer=layer,
            each=EACH,
        ),
        alt="Mean cosine between the pieces of one word, by layer: "
        + "; ".join(
            f"{title}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
            for title, curve in curves.items()
        )
        + ".",
        name="pieces",
        of=compared.made,
    )
    _curve_table(curves, {}, "pieces")


def _poolings(compared: Compared) -> None:
    everything, names, layer = compared.everything, compared.pair_names, compared.layer
    similarities = compare_poolings([(everything[i], everything[j]) for i, j in compared.pairs])
    if not np.ptp(similarities, axis=0).any():
        note("All words compared are one piece: the four poolings give the same vectors.")
        return
    poolings, cosines = POOLINGS, similarities[:, layer]
    spread = np.ptp(cosines, axis=0)
    widest = int(np.argmax(spread))
    lowest, highest = (int(pick(cosines[:, widest])) for pick in (np.argmin, np.argmax))
    low, high = (float(cosines[number, widest]) for number in (lowest, highest))
    finding(
        "At layer {layer}, pooling matters most for <b>{pair}</b>: {low} by {lowest}, {high} by "
        "{highest}, a spread of <b>{spread}</b>.",
        method="pieces-and-poolings",
        layer=layer,
        pair=names[widest],
        low=rounded(low),
        lowest=poolings[lowest],
        high=rounded(high),
        highest=poolings[highest],
        spread=rounded(float(spread[widest])),
    )
    drawn = np.argsort(-spread, kind="stable")[:MOST_DRAWN]
    if len(names) > len(drawn):
        note(
            "{all} pairs are in the table; the {most} on which the poolings differ most are drawn.",
            all=len(names),
            most=len(drawn),
        )
    chart(
        pooling_dots(cosines[:, drawn], poolings, [names[i] for i in drawn]),
        alt=f"Similarity of {len(drawn)} pairs at layer {layer} under the poolings "
        f"{joined(poolings)}; the widest spread is {spread[widest]:.3f}, "
        f"for {names[widest]}.",
        name="poolings",
        of={"layer": layer},
    )
    same = compared.same_nearest_anchor(cosines)
    if same is not None:
        caption(
            "The nearest anchor is the same under all four poolings for {same_nearest} of {words} "
            "words.",
            words=len(compared.words),
            same_nearest=same,
        )
    columns: dict[str, Any] = {"pair": names}
    for pooling, row in zip(poolings, cosines, strict=True):
        columns |= cosine_columns(pooling, row, compared.percentiles_of(row, pooling))
    folded_table(
        "Table",
        lambda: columns | {"spread": spread},
        key="poolings-numbers",
        name="poolings",
        of={"layer": layer},
    )


def _curve_table(
    curves: dict[str, Array], scales: Mapping[str, Calibration | None], name: str
) -> None:
    """The numbers of curves by layer, with percentiles for those that have a scale."""
    columns: dict[str, Any] = {"layer": range(len(next(iter(curves.values()))))}
    for title, curve in curves.items():
        scale = scales.get(title)
        percentiles = None if scale is None else scale.percentiles_by_layer(curve)
        columns |= cosine_columns(title, curve, percentiles)
    folded_table("Table", lambda: columns, key=f"{name}-numbers", name=name)
