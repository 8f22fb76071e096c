"""Whether a cosine is high for its layer: its place among the cosines of unrelated words."""

from typing import Annotated

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, calibration_sentences
from bertviz_core.calibration.percentiles import column, in_words, interval
from bertviz_core.calibration.run import FUNCTION_WORDS
from bertviz_core.calibration.scales import LEAST_WORDS, MOST_PIECES
from bertviz_core.claims.cosines import COSINE, HIGH_COSINE
from bertviz_core.csv_files import Columns
from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.colors import MUTED, faint
from bertviz_core.figures.drawing import Figure, band, draw, line, vertical_line
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, heading, note, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Part, View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared

MIDDLE = (5, 95)  # percent of the pairs, between which the band lies


@view("is this cosine high for this layer?", page=PAGE, rank=40)
def percentiles(
    found: Compared, layer: int, bert: Bert, target: Annotated[str, TARGET] = ""
) -> View:
    """The percentile of each cosine among unrelated pairs, as measured and mean-centred."""
    if found.scales is None:
        return View(
            note(
                "Press “Measure the percentile scale” below the picture. It takes some seconds, "
                "once. The percentiles then appear here."
            )
        )
    number = found.followed(target)
    other = found.others(target)[0]
    word, scale = found.words[number], found.scale(number, other)
    cosine, verdict = (
        float(found.cosines[number, other, layer]),
        HIGH_COSINE.condition(found.scales),
    )
    return View(
        say(
            "At layer {layer}, <b>{word}</b> in <i>{sentence}</i> and <b>{other}</b> have "
            "similarity <b>{cosine}</b>: {percentile}"
            + (" ({interval} for sentences like these)." if scale is not None else "."),
            layer=layer,
            word=word.word,
            sentence=found.sentence(number),
            other=found.names[other],
            cosine=rounded(cosine),
            percentile=in_words(scale, cosine, layer)
            or f"it has no percentile, since fewer than {LEAST_WORDS} words of the measured "
            "sentences have that number of pieces",
            interval=interval(scale, cosine, layer),
            method="percentile-scales",
        ),
        _by_layer(found, scale, number, other, layer, bert) if scale is not None else [],
        table(_columns(found, number, found.others(target), layer), name="scale", fold="Table"),
        heading(f"What is a cosine of {COSINE} worth?"),
        say(HIGH_COSINE.template(verdict), method="percentile-scales", **verdict.numbers),
        caption(HIGH_COSINE.typical, method="sentences-and-their-conditions"),
        made=found.made(layer),
    )


def _by_layer(
    found: Compared, scale: Calibration, number: int, other: int, layer: int, bert: Bert
) -> list[Part]:
    """A pair's cosine over the layers beside those of unrelated pairs, and their program."""
    mean, last = scale.anisotropy, scale.layers - 1
    highest = int(np.argmax(mean))
    cosines, name = found.cosines[number, other], found.names[other]
    # A scale with a word alone has it second.
    one, two = sorted((found.everything[number], found.everything[other]), key=lambda w: w.alone)
    return [
        picture(
            _curves(scale, cosines, f"{found.names[number]} – {name}", layer),
            alt=f"Cosine with {name} over layers 0 to {last}: {cosines[0]:.3f} at the input, "
            f"{cosines[layer]:.3f} at layer {layer}, {cosines[-1]:.3f} at the end; mean of "
            f"{scale.kind}: {mean[0]:.3f}, {mean[layer]:.3f} and {mean[-1]:.3f}.",
            name="percentile-scale-1",
        ),
        say(
            "Any two words are alike: {kind} have mean similarity <b>{end}</b> at layer {last}, "
            "and <b>{highest}</b> at layer {highest_layer}, where it is highest. The 95% interval "
            "holds for short sentences in plain English; other texts have other percentiles, above "
            "all for words in pieces.",
            kind=f"{scale.pairs:,} {scale.kind}",
            end=rounded(float(mean[-1])),
            last=last,
            highest=rounded(float(mean[highest])),
            highest_layer=highest,
            method="anisotropy",
        ),
        table(scale.columns(), name="anisotropy", fold="Unrelated pairs as a table"),
        program(
            "calibration/words",
            bert,
            sentences=list(calibration_sentences()),
            function_words=" ".join(FUNCTION_WORDS.read_text(encoding="utf-8").split()),
            pooling=found.comparison.pooling,
            name="percentile-scale",
            first_pieces=min(len(one.tokens), MOST_PIECES),
            second_pieces=min(len(two.tokens), MOST_PIECES),
            second_alone=two.alone,
            layer=layer,
            cosine=round(float(cosines[layer]), 6),
        ),
    ]


def _columns(found: Compared, number: int, others: list[int], layer: int) -> Columns:
    """The cosines with all others, as measured and mean-centred, each on its own scale."""
    assert found.scales is not None
    vectors = np.stack([found.everything[other].vectors[layer] for other in others])
    own = found.words[number].vectors[layer][None]
    measured = found.cosines[number, others, layer]
    centred = found.scales.centred_cosines(own, vectors, layer)[0]
    scales = [found.scale(number, other) for other in others]
    columns: dict[str, object] = {"to": [found.names[other] for other in others]}
    for title, cosines in (("similarity", measured), ("mean-centred", centred)):
        pairs = list(zip(scales, cosines.tolist(), strict=True))
        how = title == "mean-centred"
        on_scale = [np.nan if s is None else s.percentile(c, layer, centred=how) for s, c in pairs]
        columns[title] = cosines
        columns[f"{title}, percentile"] = column(np.array(on_scale))
        columns[f"{title}, 95% interval"] = [interval(s, c, layer, centred=how) for s, c in pairs]
    columns["among"] = [
        "" if scale is None else f"{scale.pairs:,} {scale.kind}" for scale in scales
    ]
    return columns


def _curves(scale: Calibration, cosines: np.ndarray, name: str, layer: int) -> Figure:
    """A pair's cosine by layer, over the middle 90% of unrelated pairs and their mean."""
    numbers, hover = np.arange(scale.layers), "layer %{x}<br>%{y:.3f}"
    low, high = (
        np.array([np.interp(percent, scale.percents, row) for row in scale.quantiles])
        for percent in MIDDLE
    )
    unrelated = {"line": {"color": MUTED, "dash": "dash", "width": 2}, "marker": {"color": MUTED}}
    return draw(
        [
            band(numbers, low, high, "middle 90% of unrelated pairs", faint(MUTED, 0.22)),
            line(numbers, scale.anisotropy, "their mean", hover, 1, **unrelated),
            line(numbers, cosines, name, hover),
        ],
        height=320,
        legend=True,
        shapes=[vertical_line(layer)],
        xaxis=layers(),
        yaxis=titled("cosine", tickformat=".2f", zeroline=True),
    )
