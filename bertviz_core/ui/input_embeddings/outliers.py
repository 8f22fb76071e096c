"""Outlier dimensions of the embedding layer."""

from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.embeddings.outliers import OutlierDimensions, outlier_dimensions
from bertviz_core.figures.embeddings.dimension_scores import dimension_scores
from bertviz_core.snippets.fill import filled
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding, joined
from bertviz_core.ui.show import chart, code, table

if TYPE_CHECKING:
    from bertviz_core.bert import Bert
    from bertviz_core.embeddings import InputEmbeddings

MOST_NAMED = 8


def outliers(bert: "Bert", parts: "InputEmbeddings", first: str, pair: str | None) -> None:
    """Show which dimensions stand apart."""
    st.subheader("Outlier dimensions", anchor=False)
    st.markdown(
        "A dimension counts as an outlier where LayerNorm's weight, LayerNorm's bias or one "
        "output of these tokens lies further from the mean than the number of standard deviations "
        "chosen here. Weight and bias are compared with those of all dimensions, an output with "
        "all outputs."
    )
    threshold = inputs.number("Outlier from (standard deviations)", 3, 15, 6, key="sds")
    found = outlier_dimensions(bert, parts, threshold)
    _say(bert, found)
    chart(
        dimension_scores(
            {
                "LayerNorm weight": found.weight_scores,
                "LayerNorm bias": found.bias_scores,
                "furthest output of these tokens": found.output_scores,
            },
            found.dimensions.tolist(),
            threshold=threshold,
        ),
        alt=f"Three panels over {bert.hidden_size} dimensions, in standard deviations: weight, "
        f"bias, furthest output. {len(found.dimensions)} dimensions lie beyond {threshold}: "
        f"{', '.join(map(str, found.dimensions[:MOST_NAMED])) or 'none'}.",
        name="outliers",
    )
    st.caption(
        "After Kovaleva et al. (2021), “BERT Busters: Outlier Dimensions that Disrupt "
        "Transformers”, who find such weights in the LayerNorm after each encoder layer "
        "(3 standard deviations) and show that switching off a few dimensions breaks the model."
    )
    import pandas as pd

    scores = np.stack([found.weight_scores, found.bias_scores, found.output_scores])
    order = np.argsort(-np.abs(scores).max(axis=0), kind="stable")
    table(
        pd.DataFrame(
            {
                "dimension": order,
                "outlier": np.isin(order, found.dimensions),
                "weight": bert.tables.layer_norm_weight[order],
                "weight: deviations": scores[0, order],
                "bias": bert.tables.layer_norm_bias[order],
                "bias: deviations": scores[1, order],
                "furthest output: deviations": scores[2, order],
            }
        ),
        name="outliers",
        height=320,
    )
    code(
        lambda: filled(
            "embeddings/outliers", bert, text=first, text_pair=pair, threshold=threshold
        ),
        name="outliers",
    )


def _say(bert: "Bert", found: OutlierDimensions) -> None:
    scores = np.abs(np.stack([found.weight_scores, found.bias_scores, found.output_scores]))
    if not len(found.dimensions):
        furthest = int(scores.max(axis=0).argmax())
        finding(
            "No dimension lies beyond {threshold} standard deviations; the furthest is "
            "<b>{dimension}</b>, at {score}.",
            threshold=f"{found.threshold:g}",
            dimension=furthest,
            score=f"{scores[:, furthest].max():.1f}",
        )
        return
    kinds = ("weight", "bias", "output")
    named = [
        f"{d} ({kinds[int(scores[:, d].argmax())]}, {scores[:, d].max():.1f})"
        for d in found.dimensions[:MOST_NAMED].tolist()
    ]
    more = len(found.dimensions) - len(named)
    finding(
        "<b>{count}</b> of {size} dimensions lie beyond {threshold} standard deviations: "
        "<b>{named}</b>. They hold {held} of the squared length of these input embeddings; as many "
        "average ones would hold {even}.",
        count=len(found.dimensions),
        size=bert.hidden_size,
        threshold=f"{found.threshold:g}",
        named=joined([*named, f"{more} more"] if more else named),
        held=f"{found.held:.1%}",
        even=f"{len(found.dimensions) / bert.hidden_size:.1%}",
    )
