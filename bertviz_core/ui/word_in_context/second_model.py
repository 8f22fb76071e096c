"""The same comparison on a second model, and how far the two agree."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.calibration import Calibration
from bertviz_core.checkpoints.catalog import offered_models
from bertviz_core.checkpoints.checkpoint import why_unavailable
from bertviz_core.contextual import WordInContext, similarity_by_layer
from bertviz_core.contextual.agreement import ModelAgreement, compare_models
from bertviz_core.figures.contextual.second_model import correlation_curve, model_scatter
from bertviz_core.snippets.fill import filled, opening
from bertviz_core.ui import calibrations
from bertviz_core.ui.html import finding, note
from bertviz_core.ui.memory import models
from bertviz_core.ui.percentiles import after, briefly, column
from bertviz_core.ui.show import chart, code, table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context import results as context_cache
from bertviz_core.ui.word_in_context.pieces import pairs_of
from bertviz_core.ui.word_in_context.words import Compared, choose, span


def second_model(compared: Compared, layer: int, calibration: Calibration | None) -> None:
    """Run the page's sentences on another model, and compare the similarities pair by pair."""
    bert = compared.bert
    ready = [
        name
        for name, model in offered_models().items()
        if name != bert.name and why_unavailable(model) is None
    ]
    if not ready:
        note(
            "No other model is ready on this machine. Choose one in the sidebar and download it, "
            "then come back to {name}; or let the operator add one (BERTVIZ_MODELS).",
            name=bert.name,
        )
        return
    second = ready[0]
    if len(ready) > 1:
        second = ready[choose("Second model", ready, key="second")]
    with waiting(f"Running {second} on the same texts …", height=480):
        other = models.bert(second)
        words, anchors = context_cache.words_in_context(second, compared.asked)
    pairs = pairs_of(compared)
    cosines = _similarities(compared.everything, pairs), _similarities([*words, *anchors], pairs)
    found = compare_models(*cosines)
    there = int(found.layers[layer, 1])
    here, beyond = cosines[0][layer], cosines[1][there]
    rulers = calibration, calibrations.known(second)
    models = (
        f"{bert.name}, layer {layer} of {bert.num_hidden_layers}",
        f"{second}, layer {there} of {other.num_hidden_layers}",
    )
    names = [f"{compared.names[i]} – {compared.names[j]}" for i, j in pairs]
    _finding(compared, models, found, (here, beyond), layer, rulers)
    if rulers[1] is None:
        note(
            "Cosines of two models are not on one scale; percentiles are. Choose {name} in the "
            "sidebar and measure its ruler, and both stand beside each other here.",
            name=second,
        )
    chart(
        model_scatter(here, beyond, names, models),
        alt=f"Scatter of {len(pairs)} pairs: similarity in {models[0]} against {models[1]}; "
        + "; ".join(
            f"{name} {a:.3f} and {b:.3f}"
            for name, a, b in list(zip(names, here, beyond, strict=True))[:4]
        )
        + ".",
        name="second-model",
    )
    _table(names, (bert.name, second), (here, beyond), (layer, there), rulers)
    if not np.isnan(found.correlation).all():
        st.text("Agreement at comparable depth: rank correlation over the pairs")
        known = found.correlation[~np.isnan(found.correlation)]
        chart(
            correlation_curve(found.correlation, found.layers, layer=layer),
            alt=f"Rank correlation of {len(pairs)} pairs between the two models, by layer of "
            f"{bert.name}: {known[0]:.2f} at first, {known[-1]:.2f} at the end.",
            name="second-model-layers",
        )
    spans = [span(word) for word in compared.everything]
    pooling = compared.asked.pooling
    code(
        lambda: filled(
            "contextual/second_model",
            bert,
            layer=layer,
            words=spans,
            pairs=pairs,
            pooling=pooling,
            other_layer=there,
            **{f"other_{name}": value for name, value in opening(other).items()},
        ),
        name="second-model",
    )


def _finding(
    compared: Compared,
    models: tuple[str, str],
    found: ModelAgreement,
    cosines: tuple[Array, Array],
    layer: int,
    rulers: tuple[Calibration | None, Calibration | None],
) -> None:
    there = int(found.layers[layer, 1])
    first, second = float(cosines[0][0]), float(cosines[1][0])
    correlation = found.correlation[layer]
    order = (
        f"Over all {len(cosines[0])} pairs the rank correlation is {correlation:.2f}."
        if not np.isnan(correlation)
        else "Three pairs of different similarity are needed for a rank correlation."
    )
    finding(
        "<b>{word}</b> and <b>{other}</b> have similarity <b>{first}</b>{worth} in {here}, and "
        "<b>{second}</b>{then} in {there}. {order} {agree}",
        word=compared.names[0],
        other=compared.names[len(compared.words) if compared.anchors else 1],
        first=f"{first:.3f}",
        worth=after(rulers[0], first, layer),
        here=models[0],
        second=f"{second:.3f}",
        then=briefly(rulers[1], second, there)
        if rulers[0] is not None
        else after(rulers[1], second, there),
        there=models[1],
        order=order,
        agree=_same_anchor(compared, cosines),
    )


def _same_anchor(compared: Compared, cosines: tuple[Array, Array]) -> str:
    """For how many words both models find the same nearest anchor."""
    if len(compared.anchors) < 2:
        return ""
    shape = (len(compared.words), len(compared.anchors))
    first, second = (row.reshape(shape).argmax(axis=1) for row in cosines)
    return f"The nearest anchor is the same for {int((first == second).sum())} of {shape[0]} words."


def _similarities(words: list[WordInContext], pairs: list[tuple[int, int]]) -> Array:
    """float32 (num_hidden_layers + 1, n) of n pairs."""
    return np.stack([similarity_by_layer(words[i], words[j]) for i, j in pairs], axis=1)


def _table(
    names: list[str],
    models: tuple[str, str],
    cosines: tuple[Array, Array],
    layers: tuple[int, int],
    rulers: tuple[Calibration | None, Calibration | None],
) -> None:
    import pandas as pd

    columns: dict[str, Any] = {"pair": names}
    for model, row, layer, ruler in zip(models, cosines, layers, rulers, strict=True):
        title = f"{model}, layer {layer}"
        columns[title] = row
        if ruler is not None:
            columns[f"{title}, percentile"] = column(ruler.percentiles(row, layer))
    table(pd.DataFrame(columns), name="second-model")
