"""Outlier dimensions of the embedding layer."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import OutlierDimensions, outlier_dimensions
from bertviz_core.figures.axes import suffix, titled
from bertviz_core.figures.colors import MARK, MUTED
from bertviz_core.figures.drawing import Figure, draw, horizontal_line, panel_title
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Slider
from bertviz_core.views.parts import picture, program, say, table
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Sentence, Text, View

MOST_NAMED = 8
KINDS = ("weight", "bias", "output")
PANELS = ("LayerNorm weight", "LayerNorm bias", "furthest output of these tokens")


@view("outlier dimensions", page="Input Embeddings", rank=50)
def outliers(
    bert: Bert,
    typed: InputText,
    sds: Annotated[
        int,
        Slider(
            "Outlier from (standard deviations)",
            3,
            15,
            about="standard deviations from which a row is an outlier",
        ),
    ] = 6,
) -> View:
    """Dimensions whose LayerNorm weight, bias or output lies far from all others."""
    parts = input_embeddings(bert, typed.tokenize(bert))
    measured = outlier_dimensions(bert, parts, sds)
    dimensions = measured.dimensions
    scores = np.stack([measured.weight_scores, measured.bias_scores, measured.output_scores])
    order = np.argsort(-np.abs(scores).max(axis=0), kind="stable")
    return View(
        _finding(measured, np.abs(scores)),
        Text(
            "A dimension is an outlier if one of three numbers lies far from the mean: its weight "
            "in LayerNorm, its bias in LayerNorm, or an output of one of these tokens. Weight and "
            "bias are compared with those of all dimensions, an output with all outputs."
        ),
        picture(
            _panels(scores, dimensions.tolist(), sds),
            alt=f"Three panels over {bert.hidden_size} dimensions, in standard deviations: weight, "
            f"bias, furthest output. {len(dimensions)} dimensions lie beyond {sds}: "
            f"{', '.join(map(str, dimensions[:MOST_NAMED])) or 'none'}.",
            name="outliers",
        ),
        Text(
            "After Kovaleva et al. (2021), “BERT Busters: Outlier Dimensions that Disrupt "
            "Transformers”. They find such weights in the LayerNorm after each encoder layer "
            "(3 standard deviations), and show that switching off a few dimensions breaks the "
            "model."
        ),
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
        ),
        program("embeddings/outliers", bert, typed, threshold=sds),
    )


def _finding(measured: OutlierDimensions, sizes: Array) -> Sentence:
    """Name the outliers and what is far out in each; `sizes` are the three kinds of scores."""
    dimensions, size = measured.dimensions, sizes.shape[1]
    furthest = sizes.max(axis=0)
    if not len(dimensions):
        return say(
            "No dimension lies beyond {threshold} standard deviations; the furthest is "
            "<b>{dimension}</b>, at {score}.",
            threshold=f"{measured.threshold:g}",
            dimension=int(furthest.argmax()),
            score=f"{furthest.max():.1f}",
            method="outlier-dimensions",
        )
    named = [
        f"{dimension} ({KINDS[sizes[:, dimension].argmax()]}, {furthest[dimension]:.1f})"
        for dimension in dimensions[:MOST_NAMED].tolist()
    ]
    more = len(dimensions) - len(named)
    return say(
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


def _panels(scores: Array, outliers: list[int], threshold: int) -> Figure:
    """The scores of all dimensions, one panel a kind; outliers are marked in every panel."""
    size, step = scores.shape[1], 1 / len(scores)
    others = np.setdiff1d(np.arange(size), outliers)
    named = {
        "mode": "markers+text",
        "text": [str(dimension) for dimension in outliers],
        "textposition": "middle right",
    }
    traces, titles, lines = [], [], []
    layout: dict[str, Any] = {}
    for number, (name, values) in enumerate(zip(PANELS, scores, strict=True), start=1):
        axis, bottom = suffix(number), 1 - number * step
        top = bottom + step * 0.74
        reach = max(float(np.abs(values).max()), threshold) * 1.15
        for dimensions, color, width, more in (
            (others, MUTED, 4, {}),
            (np.array(outliers, dtype=np.int64), MARK, 9, named),
        ):
            dots = {
                "type": "scatter",
                "mode": "markers",
                "x": dimensions,
                "y": values[dimensions],
                "yaxis": f"y{axis}",
                "marker": {"color": color, "size": width},
                "hovertemplate": f"{name}<br>dimension %{{x}}<br>%{{y:.2f}} standard deviations"
                "<extra></extra>",
            }
            traces.append(dots | more)
        titles.append(panel_title(f"<b>{name}</b>", y=top))
        lines += [horizontal_line(y, 1, "dash", f"y{axis}") for y in (-threshold, threshold)]
        layout[f"yaxis{axis}"] = {
            "domain": [bottom, top],
            "range": [-reach, reach],
            "nticks": 5,
            "zeroline": True,
        }
    span = [-size * 0.02, size * 1.05]
    below = titled("dimension", range=span, anchor=f"y{suffix(len(PANELS))}")
    height = 180 * len(PANELS) + 60
    return draw(traces, height=height, annotations=titles, shapes=lines, xaxis=below, **layout)
