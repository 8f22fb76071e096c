"""Single dimensions: the tokens highest and lowest in one, and the outliers among them."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array, Ids
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS, Keep
from bertviz_core.embeddings import input_embeddings
from bertviz_core.embeddings.dimensions import (
    MOST,
    OutlierDimensions,
    extreme_tokens,
    outlier_dimensions,
)
from bertviz_core.embeddings.embedding_layer import most_variable_dimensions
from bertviz_core.figures.axes import suffix, titled
from bertviz_core.figures.colors import MARK, MUTED
from bertviz_core.figures.drawing import Figure, draw, horizontal_line, marks, panel_title
from bertviz_core.figures.neighbors import neighbor_bars, score_distributions
from bertviz_core.tokens import InputText
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Choice, Slider
from bertviz_core.views.input_embeddings.layer_norm import DIMENSION, furthest_dimension
from bertviz_core.views.parts import beside, caption, note, picture, program, say, table
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Links, Part, Sentence, Text, View

SUGGESTED = 4  # outliers, and dimensions that vary, to look at
MOST_NAMED = 8
KINDS = ("weight", "bias", "output")
PANELS = ("LayerNorm weight", "LayerNorm bias", "furthest output of these tokens")


@view("one dimension", page="Input Embeddings", rank=80)
def dimension(
    bert: Bert,
    typed: InputText,
    dim: Annotated[int | None, DIMENSION] = None,
    keep: Annotated[Keep, Choice("Tokens", KEEPS, about="which tokens are shown")] = KEEPS[0],
    ends: Annotated[int, Slider("How many", 1, MOST, about="how many tokens at each end")] = 10,
) -> View:
    """The tokens of the whole vocabulary that are highest and lowest in one dimension."""
    text = typed.tokenize(bert)
    parts = input_embeddings(bert, text)
    number = furthest_dimension(bert) if dim is None else dim
    found = extreme_tokens(bert, number, ends, keep)
    outliers = outlier_dimensions(bert, parts).dimensions[:SUGGESTED].tolist()
    varied = most_variable_dimensions(parts.output, SUGGESTED).tolist()
    suggested = Links(
        "Look at",
        {f"{one}, an outlier": {"dim": one} for one in outliers}
        | {f"{one}, varied in your text": {"dim": one} for one in varied if one not in outliers},
    )
    if not found.candidates.any():
        return View(suggested, note("This vocabulary has no such tokens. Choose another kind."))
    tokens, values, deviation = bert.vocabulary.tokens, found.values, found.deviation or 1.0
    everything, own = values[found.candidates], values[text.input_ids]
    both = {"highest": found.highest, "lowest": found.lowest}
    ids = np.concatenate(list(both.values()))
    highest, lowest = int(found.highest[0]), int(found.lowest[0])
    score = f"number in dimension {number}"

    def end_of(end: str, rows: Ids) -> list[Part]:
        return [
            caption("The {count} {end}", count=len(rows), end=end),
            picture(
                neighbor_bars([tokens[i] for i in rows], values[rows], score_name=score),
                alt=f"Bars of the {len(rows)} tokens {end} in dimension {number}, "
                f"{values[rows[0]]:.3f} to {values[rows[-1]]:.3f}: "
                f"{', '.join(tokens[i] for i in rows[:3])} first.",
                name=f"dimension-{end}",
            ),
        ]

    return View(
        suggested,
        say(
            "In dimension <b>{dimension}</b> the numbers of {tokens} tokens have mean {mean} and "
            "standard deviation {deviation}. Highest is <b>{highest}</b> ({high}, {above} "
            "deviations above the mean), lowest <b>{lowest}</b> ({low}, {below} below).",
            dimension=number,
            tokens=f"{everything.size:,}",
            mean=f"{found.mean:.3f}",
            deviation=f"{found.deviation:.3f}",
            highest=tokens[highest],
            high=f"{values[highest]:.3f}",
            above=f"{(values[highest] - found.mean) / deviation:.1f}",
            lowest=tokens[lowest],
            low=f"{values[lowest]:.3f}",
            below=f"{(found.mean - values[lowest]) / deviation:.1f}",
            method="one-dimension",
        ),
        beside(*(end_of(end, rows) for end, rows in both.items())),
        table(
            {
                "end": [end for end, rows in both.items() for _ in rows],
                "rank": [rank for rows in both.values() for rank in range(1, len(rows) + 1)],
                "token": [tokens[i] for i in ids],
                "token id": ids,
                "number": values[ids],
                "deviations from the mean": (values[ids] - found.mean) / deviation,
            },
            name=f"dimension-{number}",
        ),
        caption(
            "All {tokens} tokens in dimension {dimension}; the ticks below are the tokens of your "
            "text",
            tokens=f"{everything.size:,}",
            dimension=number,
        ),
        picture(
            score_distributions({"your text": (everything, own)}, score_name=score, alike=True),
            alt=f"Histogram of {everything.size:,} numbers around {found.mean:.3f}, standard "
            f"deviation {found.deviation:.3f}; the tokens of the text lie from {own.min():.3f} to "
            f"{own.max():.3f}.",
            name="dimension-distribution",
        ),
        table(
            {
                "position": text.position_ids,
                "token": text.tokens,
                "number in the token table": own,
                "share of the vocabulary below": [(everything < one).mean() for one in own],
                "number after LayerNorm": parts.output[:, number],
            },
            name=f"dimension-{number}-of-the-text",
        ),
        table(
            lambda: {"token": tokens, "number": values},
            name=f"dimension-{number}-all",
            fold=f"All {bert.vocab_size:,} numbers as CSV",
            is_file=True,
        ),
        program("embeddings/dimension", bert, dimension=number, k=ends, keep=keep),
    )


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
        _outliers_named(measured, np.abs(scores)),
        Text(
            "A dimension is an outlier if its LayerNorm weight, its LayerNorm bias or an output "
            "of one of these tokens is far from the mean of all of them."
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


def _outliers_named(measured: OutlierDimensions, sizes: Array) -> Sentence:
    """Name the outliers and what is far out in each; `sizes` are the three kinds of scores."""
    dimensions, size = measured.dimensions, sizes.shape[1]
    furthest = sizes.max(axis=0)
    if not len(dimensions):
        return say(
            "All dimensions are within {threshold} standard deviations. The furthest is "
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
        "<b>{outliers}</b>. They make up {share} of the squared length of these input embeddings. "
        "As many average dimensions would make up {average_share}.",
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
            hover = f"{name}<br>dimension %{{x}}<br>%{{y:.2f}} standard deviations"
            marker = {"color": color, "size": width}
            dots = marks(dimensions, values[dimensions], marker, hover, yaxis=f"y{axis}")
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
