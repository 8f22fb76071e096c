"""How alike a word stays to itself, its pieces to each other, and what the pooling decides."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.agreement import (
    compare_poolings,
    piece_similarity,
    self_similarity,
)
from bertviz_core.encoder import POOLINGS
from bertviz_core.figures.contextual.comparisons import pooling_dots
from bertviz_core.figures.contextual.similarity import similarity_curves
from bertviz_core.ui import links
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.percentiles import cosine_columns
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.words import IN_PIECES

MOST_DRAWN = 16


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
    groups: dict[str, list[WordInContext]] = {}
    for word in compared.words:
        groups.setdefault(word.word.casefold(), []).append(word)
    curves = {name: self_similarity(words) for name, words in groups.items() if len(words) > 1}
    if not curves:
        note("No word is marked twice; mark the same word in two sentences to compare it.")
        return
    layer, calibration = compared.layer, compared.calibration
    name, curve = next(iter(curves.items()))
    cosine = float(curve[layer])
    above = ""
    if calibration is not None:
        above = f", {cosine - calibration.anisotropy[layer]:.3f} above the mean of these"
    finding(
        "The {count} occurrences of <b>{word}</b> have a mean cosine of <b>{cosine}</b> to each "
        "other at layer {layer}{percentile}{above}; it is {start} at the input embedding and {end} "
        "at the last layer.",
        count=len(groups[name]),
        word=name,
        cosine=f"{cosine:.3f}",
        layer=layer,
        percentile=compared.after(cosine),
        above=above,
        start=f"{curve[0]:.3f}",
        end=f"{curve[-1]:.3f}",
    )
    curves = {f"{word} with itself": curve for word, curve in curves.items()}
    drawn = dict(curves)
    if calibration is not None:
        drawn["unrelated pairs, mean"] = calibration.anisotropy
    chart(
        similarity_curves(np.stack(list(drawn.values())), list(drawn), layer=layer),
        alt="Mean cosine of a word with itself over its sentences, by layer: "
        + "; ".join(f"{title} {row[layer]:.3f} at layer {layer}" for title, row in drawn.items())
        + ".",
        name="self-similarity",
    )
    _curve_table(compared, drawn, curves, "self-similarity")
    note(
        "Self-similarity is the mean over all pairs of a word's occurrences (Ethayarajh 2019); "
        "few sentences give a rough number."
    )


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
        "At layer {layer} the pieces of <b>{word}</b> ({pieces}) have a mean cosine of "
        "<b>{cosine}</b> to each other{percentile}{which}; at the input embedding it is {start}.",
        layer=layer,
        word=name,
        pieces=" ".join(split[name][0].tokens),
        cosine=f"{cosine:.3f}",
        percentile=compared.after(cosine),
        which=", the lowest here" if len(split) > 1 else "",
        start=f"{curves[name][0]:.3f}",
    )
    stacked, percentiles = np.stack(list(curves.values())), None
    if compared.calibration is not None:
        by_layer = compared.calibration.percentiles_by_layer
        percentiles = np.stack([by_layer(curve) for curve in stacked])
    chart(
        similarity_curves(stacked, list(curves), layer=layer, percentiles=percentiles),
        alt="Mean cosine between the pieces of one word, by layer: "
        + "; ".join(
            f"{title}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
            for title, curve in curves.items()
        )
        + ".",
        name="pieces",
    )
    _curve_table(compared, curves, curves, "pieces")


def _poolings(compared: Compared) -> None:
    everything, names, layer = compared.everything, compared.pair_names, compared.layer
    similarities = compare_poolings([(everything[i], everything[j]) for i, j in compared.pairs])
    if not np.ptp(similarities, axis=0).any():
        note("All words compared are one piece: the four poolings give the same vectors.")
        return
    poolings, cosines = POOLINGS, similarities[:, layer]
    spread = np.ptp(cosines, axis=0)
    widest = int(np.argmax(spread))
    low, high = float(cosines[:, widest].min()), float(cosines[:, widest].max())
    finding(
        "At layer {layer} the choice matters most for <b>{pair}</b>: from {low}{low_percentile} "
        "({lowest}) to {high}{high_percentile} ({highest}), a spread of <b>{spread}</b>. {agree}",
        layer=layer,
        pair=names[widest],
        low=f"{low:.3f}",
        low_percentile=compared.after(low),
        lowest=poolings[int(np.argmin(cosines[:, widest]))],
        high=f"{high:.3f}",
        high_percentile=compared.after(high),
        highest=poolings[int(np.argmax(cosines[:, widest]))],
        spread=f"{spread[widest]:.3f}",
        agree=_agreement(compared, cosines),
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
    )
    columns: dict[str, Any] = {"pair": names}
    for pooling, row in zip(poolings, cosines, strict=True):
        columns |= cosine_columns(pooling, row, compared.percentiles_of(row))
    table(columns | {"spread": spread}, name=f"poolings-layer-{layer}")


def _agreement(compared: Compared, cosines: Array) -> str:
    same = compared.same_nearest_anchor(cosines)
    if same is None:
        return ""
    count = len(compared.words)
    return f"The nearest anchor is the same under all four for {same} of {count} words."


def _curve_table(
    compared: Compared, curves: dict[str, Array], similarities: dict[str, Array], name: str
) -> None:
    """The numbers of curves by layer, with percentiles for those that are similarities."""
    calibration = compared.calibration
    columns: dict[str, Any] = {"layer": range(compared.bert.num_hidden_layers + 1)}
    for title, curve in curves.items():
        percentiles = None
        if calibration is not None and title in similarities:
            percentiles = calibration.percentiles_by_layer(curve)
        columns |= cosine_columns(title, curve, percentiles)
    table(columns, name=name)
