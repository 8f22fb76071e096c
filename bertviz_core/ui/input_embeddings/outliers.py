"""Outlier dimensions of the embedding layer."""

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import InputEmbeddings
from bertviz_core.embeddings.outliers import OutlierDimensions, outlier_dimensions
from bertviz_core.figures.embeddings.outliers import dimension_scores
from bertviz_core.tokens import InputText
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding, joined
from bertviz_core.ui.show import chart, code, table

MOST_NAMED = 8
KINDS = ("weight", "bias", "output")
PANELS = ("LayerNorm weight", "LayerNorm bias", "furthest output of these tokens")


def outliers(bert: Bert, typed: InputText, parts: InputEmbeddings) -> None:
    """Show which dimensions stand apart."""
    st.subheader("Outlier dimensions", anchor=False)
    st.markdown(
        "A dimension is an outlier if one of three numbers lies far from the mean: its weight in "
        "LayerNorm, its bias in LayerNorm, or an output of one of these tokens. How far, in "
        "standard deviations, is chosen here. Weight and bias are compared with those of all "
        "dimensions, an output with all outputs."
    )
    threshold = inputs.number("Outlier from (standard deviations)", 3, 15, 6, key="sds")
    measured = outlier_dimensions(bert, parts, threshold)
    dimensions = measured.dimensions
    scores = np.stack([measured.weight_scores, measured.bias_scores, measured.output_scores])
    _say(measured, np.abs(scores))
    chart(
        dimension_scores(
            dict(zip(PANELS, scores, strict=True)), dimensions.tolist(), threshold=threshold
        ),
        alt=f"Three panels over {bert.hidden_size} dimensions, in standard deviations: weight, "
        f"bias, furthest output. {len(dimensions)} dimensions lie beyond {threshold}: "
        f"{', '.join(map(str, dimensions[:MOST_NAMED])) or 'none'}.",
        name="outliers",
    )
    st.caption(
        "After Kovaleva et al. (2021), “BERT Busters: Outlier Dimensions that Disrupt "
        "Transformers”. They find such weights in the LayerNorm after each encoder layer "
        "(3 standard deviations), and show that switching off a few dimensions breaks the model."
    )
    order = np.argsort(-np.abs(scores).max(axis=0), kind="stable")
    table(
        {
            "dimension": order,
            "outlier": np.isin(order, dimensions),
            "weight": bert.tables.layer_norm_weight[order],
            "weight: deviations": scores[0, order],
            "bias": bert.tables.layer_norm_bias[order],
            "bias: deviations": scores[1, order],
            "furthest output: deviations": scores[2, order],
        },
        name="outliers",
    )
    code("embeddings/outliers", bert, typed, threshold=threshold)


def _say(measured: OutlierDimensions, sizes: Array) -> None:
    """Name the outliers and what is far out in each; `sizes` are the three kinds of scores."""
    dimensions, size = measured.dimensions, sizes.shape[1]
    furthest = sizes.max(axis=0)
    if not len(dimensions):
        finding(
            "No dimension lies beyond {threshold} standard deviations; the furthest is "
            "<b>{dimension}</b>, at {score}.",
            threshold=f"{measured.threshold:g}",
            dimension=int(furthest.argmax()),
            score=f"{furthest.max():.1f}",
            method="outlier-dimensions",
        )
        return
    named = [
        f"{dimension} ({KINDS[sizes[:, dimension].argmax()]}, {furthest[dimension]:.1f})"
        for dimension in dimensions[:MOST_NAMED].tolist()
    ]
    more = len(dimensions) - len(named)
    finding(
        "<b>{count}</b> of {size} dimensions {verb} beyond {threshold} standard deviations: "
        "<b>{outliers}</b>. They hold {share} of the squared length of these input embeddings; as "
        "many average dimensions would hold {average_share}.",
        count=len(dimensions),
        size=size,
        verb="lies" if len(dimensions) == 1 else "lie",
        threshold=f"{measured.threshold:g}",
        outliers=joined([*named, f"{more} more"] if more else named),
        share=f"{measured.held:.1%}",
        average_share=f"{len(dimensions) / size:.1%}",
        method="outlier-dimensions",
    )
