"""The same comparison on a second model, and how far the two agree."""

from typing import Annotated

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.calibration import Scales
from bertviz_core.calibration.disk import saved_calibration
from bertviz_core.contextual.words import compare_models
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import label, titled
from bertviz_core.figures.colors import TOKEN
from bertviz_core.figures.drawing import Figure, draw, marks
from bertviz_core.figures.similarity import span
from bertviz_core.shared import models, once, shared_encoder
from bertviz_core.snippets.fill import opening
from bertviz_core.views.declare import view
from bertviz_core.views.fields import Listed
from bertviz_core.views.parts import note, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import View
from bertviz_core.views.word_in_context.words import PAGE, Comparison, compared

MOST_NAMED = 12  # pairs whose names are printed beside their points
_saved_scales = once(saved_calibration)


@view(
    "a second model",
    page=PAGE,
    rank=60,
    doing="Running the second model on the same texts …",
    when=lambda ready: bool(ready),
)
def second_model(
    encoder: Encoder,
    comparison: Comparison,
    layer: int,
    scales: Scales | None = None,
    ready: tuple[str, ...] = (),
    second: Annotated[
        str,
        Listed(
            "Second model",
            lambda ready: ready,
            about="the second model",
            when=lambda ready: len(ready) > 1,
        ),
    ] = "",
) -> View:
    """The same words in another model: whether it orders their similarities alike."""
    bert = models.bert(second or ready[0])
    found = compared(encoder, comparison, scales)
    other = compared(shared_encoder(bert), comparison, _saved_scales(bert))
    agreement = compare_models(found.pair_cosines, other.pair_cosines)
    pairs, correlation = found.pair_names, agreement.correlation
    other_layer = int(agreement.layers[layer, 1])
    ours, theirs = found.pair_cosines[layer], other.pair_cosines[other_layer]
    titles = (
        f"{encoder.bert.name}, layer {layer} of {encoder.bert.num_hidden_layers}",
        f"{bert.name}, layer {other_layer} of {bert.num_hidden_layers}",
    )
    order = "three pairs of different similarity are needed for a rank correlation"
    if not np.isnan(correlation[layer]):
        order = f"over all {len(pairs)} pairs the rank correlation is {rounded(correlation[layer])}"
    return View(
        say(
            "<b>{word}</b> and <b>{other}</b> have similarity <b>{cosine}</b> in {model} and "
            "<b>{second_cosine}</b> in {second_model}; {order}.",
            method="two-models",
            word=found.names[found.pairs[0][0]],
            other=found.names[found.pairs[0][1]],
            cosine=rounded(float(ours[0])),
            model=titles[0],
            second_cosine=rounded(float(theirs[0])),
            second_model=titles[1],
            order=order,
        ),
        note(
            "Cosines of two models have different scales; percentiles can be compared. To see "
            "them, choose {name} in the sidebar and measure its percentile scale.",
            name=bert.name,
        )
        if other.scales is None
        else [],
        picture(
            _scatter(ours, theirs, pairs, titles),
            alt=f"Scatter of {len(pairs)} pairs: similarity in {titles[0]} against {titles[1]}, "
            f"from {ours.min():.3f} to {ours.max():.3f} and from {theirs.min():.3f} to "
            f"{theirs.max():.3f}.",
            name="second-model",
        ),
        table(
            {
                "pair": pairs,
                **found.pair_columns(f"{encoder.bert.name}, layer {layer}", ours, layer),
                **other.pair_columns(f"{bert.name}, layer {other_layer}", theirs, other_layer),
            },
            name="second-model",
            fold="Table",
        ),
        program(
            "contextual/second_model",
            encoder.bert,
            layer=layer,
            words=[one.span for one in found.everything],
            pairs=found.pairs,
            pooling=comparison.pooling,
            other_layer=other_layer,
            name="second-model",
            **{f"other_{name}": value for name, value in opening(bert).items()},
        ),
        made=comparison.made(layer),
    )


def _scatter(
    first: Array, second: Array, names: list[str], models_shown: tuple[str, str]
) -> Figure:
    """Each pair of words at its similarities in two models."""
    across, up = span([first]), span([second])
    points = marks(
        first,
        second,
        {"color": TOKEN, "size": 9},
        "%{customdata}<br>%{x:.3f}, %{y:.3f}",
        mode="markers+text" if len(names) <= MOST_NAMED else "markers",
        text=[label(name, 22) for name in names],
        # Names grow towards the middle, so that none is cut off at the edge.
        textposition=["top left" if x > sum(across) / 2 else "top right" for x in first],
        customdata=[label(name, 34) for name in names],
    )
    return draw(
        [points],
        height=400,
        xaxis=titled(label(models_shown[0], 60), range=across),
        yaxis=titled(label(models_shown[1], 60), range=up),
    )
