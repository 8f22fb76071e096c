"""How alike a word stays to itself, its pieces to each other, and what the pooling decides."""

from itertools import combinations
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.calibration import Calibration
from bertviz_core.contextual import WordInContext
from bertviz_core.contextual.agreement import (
    PoolingComparison,
    compare_poolings,
    piece_similarity,
    self_similarity,
)
from bertviz_core.figures.contextual.curves import similarity_curves
from bertviz_core.figures.contextual.pooling import pooling_dots
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import links
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.percentiles import after, column
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.word_in_context.words import Compared, span

MOST_DRAWN = 16


def pieces_and_pooling(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Show self-similarity, similarity within a word's pieces, and the poolings side by side."""
    st.subheader("A word with itself", anchor=False)
    _self_similarity(compared, layer, calibration)
    st.subheader("The pieces of one word", anchor=False)
    _pieces(compared, layer, calibration)
    st.subheader("Mean, first, last or max", anchor=False)
    _poolings(compared, layer, calibration)
    spans = [span(word) for word in compared.everything]
    pooling, bert = compared.asked.pooling, compared.bert
    code(
        lambda: filled("contextual/pieces", bert, words=spans, pooling=pooling, layer=layer),
        name="pieces",
    )


def _self_similarity(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    groups: dict[str, list[WordInContext]] = {}
    for word in compared.words:
        groups.setdefault(word.word.casefold(), []).append(word)
    repeated = {name: words for name, words in groups.items() if len(words) > 1}
    if not repeated:
        note("No word is marked twice; mark the same word in two sentences to compare it.")
        return
    curves = {name: self_similarity(words) for name, words in repeated.items()}
    name, curve = next(iter(curves.items()))
    unrelated = None if calibration is None else calibration.anisotropy
    finding(
        "The {count} occurrences of <b>{word}</b> have a mean cosine of <b>{now}</b> to each other "
        "at layer {layer}{worth}{lifted}; it is {start} at the input embedding and {end} at the "
        "last layer.",
        count=len(repeated[name]),
        word=name,
        now=f"{curve[layer]:.3f}",
        layer=layer,
        worth=after(calibration, float(curve[layer]), layer),
        lifted=""
        if unrelated is None
        else f", {curve[layer] - unrelated[layer]:.3f} above the mean of these",
        start=f"{curve[0]:.3f}",
        end=f"{curve[-1]:.3f}",
    )
    drawn = {f"{word} with itself": one for word, one in curves.items()}
    if unrelated is not None:
        drawn["unrelated pairs, mean"] = unrelated
    chart(
        similarity_curves(np.stack(list(drawn.values())), list(drawn), layer=layer),
        alt="Mean cosine of a word with itself over its sentences, by layer: "
        + "; ".join(f"{word} {one[layer]:.3f} at layer {layer}" for word, one in drawn.items())
        + ".",
        name="self-similarity",
    )
    _curve_table(drawn, list(curves), calibration, "self-similarity")
    note(
        "Self-similarity is the mean over all pairs of a word's occurrences (Ethayarajh 2019); "
        "few sentences give a rough number."
    )


def _pieces(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    names = compared.names
    split = {
        names[place]: piece_similarity(word)
        for place, word in enumerate(compared.everything)
        if len(word.tokens) > 1
    }
    if not split:
        note("Every word here is one piece. A word that splits shows how its pieces agree.")
        links.examples(
            "Word_in_Context",
            "Try",
            {
                "awesomesauce": {
                    "s": "Their [awesomesauce] tastes of pepper\nThat goal was [awesomesauce]",
                    "anchors": "ketchup, great",
                    "deeper": "pieces and pooling",
                }
            },
        )
        return
    now = [float(curve[layer]) for curve in split.values()]
    least = int(np.argmin(now))
    word = list(split)[least]
    finding(
        "At layer {layer} the pieces of <b>{word}</b> ({pieces}) have a mean cosine of "
        "<b>{now}</b> to each other{worth}{which}; at the input embedding it is {start}.",
        layer=layer,
        word=word,
        pieces=" ".join(compared.everything[names.index(word)].tokens),
        now=f"{now[least]:.3f}",
        worth=after(calibration, now[least], layer),
        which=", the lowest here" if len(split) > 1 else "",
        start=f"{split[word][0]:.3f}",
    )
    chart(
        similarity_curves(
            np.stack(list(split.values())),
            list(split),
            layer=layer,
            percentiles=None
            if calibration is None
            else np.stack([calibration.percentiles_by_layer(one) for one in split.values()]),
        ),
        alt="Mean cosine between the pieces of one word, by layer: "
        + "; ".join(
            f"{word}: {curve[0]:.3f} at the input, {curve[-1]:.3f} at the end"
            for word, curve in split.items()
        )
        + ".",
        name="pieces",
    )
    _curve_table(split, list(split), calibration, "pieces")


def _poolings(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    pairs = pairs_of(compared)
    everything, names = compared.everything, compared.names
    found = compare_poolings([(everything[i], everything[j]) for i, j in pairs])
    shown = [f"{names[i]} – {names[j]}" for i, j in pairs]
    spread = found.spread[layer]
    if not found.spread.any():
        note("All words compared are one piece: the four poolings give the same vectors.")
        return
    widest = int(np.argmax(spread))
    values = found.similarities[:, layer, widest]
    finding(
        "At layer {layer} the choice matters most for <b>{pair}</b>: from {low} ({lowest}) to "
        "{high} ({highest}), a spread of <b>{spread}</b>. {agree}",
        layer=layer,
        pair=shown[widest],
        low=f"{values.min():.3f}{after(calibration, float(values.min()), layer)}",
        lowest=found.poolings[int(np.argmin(values))],
        high=f"{values.max():.3f}{after(calibration, float(values.max()), layer)}",
        highest=found.poolings[int(np.argmax(values))],
        spread=f"{spread[widest]:.3f}",
        agree=_same_anchor(compared, found, layer),
    )
    order = np.argsort(-spread, kind="stable")[:MOST_DRAWN]
    if len(pairs) > len(order):
        note(
            "{all} pairs are in the table; the {most} on which the poolings differ most are drawn.",
            all=len(pairs),
            most=len(order),
        )
    chart(
        pooling_dots(
            found.similarities[:, layer, order], found.poolings, [shown[i] for i in order]
        ),
        alt=f"Similarity of {len(order)} pairs at layer {layer} under the poolings "
        f"{joined(found.poolings)}; the widest spread is {spread[widest]:.3f}, "
        f"for {shown[widest]}.",
        name="poolings",
    )
    import pandas as pd

    columns: dict[str, Any] = {"pair": shown}
    for number, pooling in enumerate(found.poolings):
        row = found.similarities[number, layer]
        columns[pooling] = row
        if calibration is not None:
            columns[f"{pooling}, percentile"] = column(calibration.percentiles(row, layer))
    columns["spread"] = spread
    table(pd.DataFrame(columns), name=f"poolings-layer-{layer}")


def pairs_of(compared: Compared) -> list[tuple[int, int]]:
    """The pairs the page is about: each word with each anchor; without anchors, all words."""
    count = len(compared.words)
    if compared.anchors:
        return [(i, j) for i in range(count) for j in range(count, len(compared.names))]
    return list(combinations(range(count), 2))


def _same_anchor(compared: Compared, found: PoolingComparison, layer: int) -> str:
    if len(compared.anchors) < 2:
        return ""
    shape = (len(found.poolings), len(compared.words), len(compared.anchors))
    nearest = found.similarities[:, layer].reshape(shape).argmax(axis=-1)
    same = int((nearest == nearest[0]).all(axis=0).sum())
    return f"The nearest anchor is the same under all four for {same} of {shape[1]} words."


def _curve_table(
    curves: dict[str, Array], ruled: list[str], calibration: Calibration | None, name: str
) -> None:
    """The numbers of curves by layer, with percentiles for those that are similarities."""
    import pandas as pd

    columns: dict[str, Any] = {"layer": range(len(next(iter(curves.values()))))}
    for title, curve in curves.items():
        columns[title] = curve
        if calibration is not None and title.removesuffix(" with itself") in ruled:
            columns[f"{title}, percentile"] = column(calibration.percentiles_by_layer(curve))
    table(pd.DataFrame(columns), name=name)
