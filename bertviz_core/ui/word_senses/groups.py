"""Groups of a word's occurrences, layer by layer, and how they fit its senses."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.figures.senses import layer_scores
from bertviz_core.senses import Groups
from bertviz_core.ui.html import finding, joined
from bertviz_core.ui.show import chart, folded_table, waiting
from bertviz_core.ui.word_senses.occurrences import Mapped


def layer_agreement(mapped: Mapped, layer: int) -> tuple[Array, list[Groups]]:
    """Draw how well the groups at each layer agree with the labels, or how clear they are.

    Returns:
        The score of each layer, float32, and its groups.
    """
    layers = range(mapped.last_layer + 1)
    with waiting("Grouping the occurrences at every layer …", height=330):
        by_layer = [mapped.groups(number) for number in layers]
        labels = [occurrence.sense for occurrence in mapped.occurrences]
        scores = np.array(
            [
                senses.agreement(groups, labels) if mapped.labelled else groups.silhouette
                for groups in by_layer
            ],
            dtype=np.float32,
        )
    best = best_layers(mapped, scores)
    name = "agreement" if mapped.labelled else "silhouette"
    measured = "agreement with labels" if mapped.labelled else "mean silhouette"
    chart(
        layer_scores(
            scores, score_name=measured, best=best, layer=layer, full_scale=mapped.labelled
        ),
        alt=f"{measured.capitalize()} of the groups by layer: "
        + ", ".join(f"{number}: {score:.2f}" for number, score in enumerate(scores)),
        name=f"senses-{name}",
    )
    return scores, by_layer


def agreement_table(mapped: Mapped, scores: Array, by_layer: Sequence[Groups]) -> None:
    """Fold away the numbers behind the curve, and say what they mean."""
    columns: dict[str, Any] = {
        "layer": np.arange(len(scores)),
        "groups": [groups.count for groups in by_layer],
        "silhouette": np.array([groups.silhouette for groups in by_layer], np.float32),
    }
    if mapped.labelled:
        columns["agreement"] = scores
    folded_table(
        "The numbers of all layers", lambda: columns, key="layer-numbers", name="senses-by-layer"
    )
    with st.expander("What the scores mean", icon=":material/help:"):
        st.markdown(
            "At each layer, k-means makes 2 to 6 groups of the vectors; the number of groups with "
            "the best mean silhouette is kept. The **silhouette** says how much nearer a vector "
            "is to its own group than to the next one, from −1 to 1. The **agreement** with the "
            "labels is the adjusted Rand index: 1 where groups and senses are the same, about 0 "
            "where they agree by chance."
        )


def separation_finding(mapped: Mapped, scores: Array, by_layer: Sequence[Groups]) -> None:
    """Name the layer where the senses separate best."""
    best = best_layers(mapped, scores)
    if not best:
        finding("All occurrences of <b>{word}</b> have the same vector.", word=mapped.word)
        return
    first, *others = best
    template = (
        "The senses of <b>{word}</b> separate best at layer <b>{layer}</b>: there, {groups} groups "
        "found without the labels agree with them by <b>{score}</b>; at the input embedding by "
        "{score_input}. 1 is full agreement, 0 is chance."
        if mapped.labelled
        else "The occurrences of <b>{word}</b> fall apart most clearly at layer <b>{layer}</b>: "
        "into <b>{groups}</b> groups, with a mean silhouette of <b>{score}</b> (1 would be groups "
        "of one point each, far apart). At layer 0 they differ only by their position in the line."
    )
    if others:
        layers = "layer" if len(others) == 1 else "layers"
        template += f" The same score is reached at {layers} {{others}}."
    finding(
        template,
        word=mapped.word,
        layer=first,
        others=joined(map(str, others)) if others else "",
        groups=by_layer[first].count,
        score=f"{scores[first]:.2f}",
        score_input=f"{scores[0]:.2f}",
    )


def best_layers(mapped: Mapped, scores: Array) -> list[int]:
    """The layers with the highest score; none where no layer has one.

    Without labels the input embedding does not count: there, occurrences differ only by their
    position in the line, and groups are groups of positions.
    """
    counted = scores.copy()
    if not mapped.labelled:
        counted[0] = np.nan
    if np.isnan(counted).all():
        return []
    return [int(layer) for layer in np.flatnonzero(counted == np.nanmax(counted))]
