"""The same comparison on a second model, and how far the two agree."""

from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.calibration.percentiles import cosine_columns
from bertviz_core.checkpoints.catalog import RANDOM
from bertviz_core.contextual.comparisons import ModelAgreement, compare_models
from bertviz_core.figures.contextual.comparisons import correlation_curve, model_scatter
from bertviz_core.snippets.fill import opening
from bertviz_core.ui.html import caption, finding, note
from bertviz_core.ui.models import offer, offer_to_get
from bertviz_core.ui.results import models
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_in_context.compared import Compared, span
from bertviz_core.ui.word_in_context.numbers import rounded
from bertviz_core.ui.word_in_context.results import anchors_and_words
from bertviz_core.ui.word_in_context.words import choose


def second_model(first: Compared) -> None:
    """Run the page's sentences on another model, and compare the similarities pair by pair."""
    ready = [name for name in offer().ready if name != first.bert.name]
    if not ready:
        note(
            "No other model is on this machine yet. One with random weights, and the sizes of the "
            "one that comes with the app, shows what comes without any training. Others can be "
            "chosen, and downloaded, in the sidebar."
        )
        offer_to_get(offer().models[RANDOM], key="make_second")
        return
    name = ready[choose("Second model", ready, key="second")]
    with waiting(f"Running {name} on the same texts …", height=480):
        bert = models.bert(name)
        words = anchors_and_words(name, first.comparison)
    count = len(first.anchors)
    second = Compared(bert, first.comparison, words[count:], words[:count])
    agreement = compare_models(first.pair_cosines, second.pair_cosines)
    layer = int(agreement.layers[first.layer, 1])
    second = second.at(layer)
    both = first, second
    cosines = [compared.pair_cosines[compared.layer] for compared in both]
    titles = [
        f"{compared.bert.name}, layer {compared.layer} of {compared.bert.num_hidden_layers}"
        for compared in both
    ]
    _finding(first, second, titles, float(agreement.correlation[first.layer]))
    if second.calibration is None:
        note(
            "Cosines of two models are not on one scale; percentiles are. Choose {name} in the "
            "sidebar and measure its percentile scale, and both stand beside each other here.",
            name=name,
        )
    pairs = first.pair_names
    points = list(zip(pairs, *cosines, strict=True))
    chart(
        model_scatter(cosines[0], cosines[1], pairs, (titles[0], titles[1])),
        alt=f"Scatter of {len(pairs)} pairs: similarity in {titles[0]} against {titles[1]}; "
        + "; ".join(f"{pair} {a:.3f} and {b:.3f}" for pair, a, b in points[:4])
        + ".",
        name="second-model",
    )
    same = first.same_nearest_anchor(np.stack(cosines))
    if same is not None:
        caption(
            "The nearest anchor is the same for {same_nearest} of {words} words.",
            words=len(first.words),
            same_nearest=same,
        )
    columns: dict[str, Any] = {"pair": pairs}
    for compared, row in zip(both, cosines, strict=True):
        title = f"{compared.bert.name}, layer {compared.layer}"
        columns |= cosine_columns(title, row, compared.percentiles_of(row))
    folded_table("Table", lambda: columns, key="second-numbers", name="second-model")
    _correlation(first, agreement)
    code(
        "contextual/second_model",
        first.bert,
        layer=first.layer,
        words=[span(word) for word in first.everything],
        pairs=first.pairs,
        pooling=first.comparison.pooling,
        other_layer=second.layer,
        name="second-model",
        **{f"other_{name}": value for name, value in opening(second.bert).items()},
    )


def _finding(first: Compared, second: Compared, titles: list[str], correlation: float) -> None:
    order = "three pairs of different similarity are needed for a rank correlation"
    if not np.isnan(correlation):
        order = f"over all {len(first.pairs)} pairs the rank correlation is {rounded(correlation)}"
    word, other = first.pairs[0]
    finding(
        "<b>{word}</b> and <b>{other}</b> have similarity <b>{cosine}</b> in {model} and "
        "<b>{second_cosine}</b> in {second_model}; {order}.",
        method="two-models",
        word=first.names[word],
        other=first.names[other],
        cosine=rounded(float(first.pair_cosines[first.layer, 0])),
        model=titles[0],
        second_cosine=rounded(float(second.pair_cosines[second.layer, 0])),
        second_model=titles[1],
        order=order,
    )


def _correlation(first: Compared, agreement: ModelAgreement) -> None:
    known = agreement.correlation[~np.isnan(agreement.correlation)]
    if not known.size:
        return
    st.text("Agreement at comparable depth: rank correlation over the pairs")
    chart(
        correlation_curve(agreement.correlation, agreement.layers, layer=first.layer),
        alt=f"Rank correlation of {len(first.pairs)} pairs between the two models, by layer of "
        f"{first.bert.name}: {known[0]:.2f} at first, {known[-1]:.2f} at the end.",
        name="second-model-layers",
    )
