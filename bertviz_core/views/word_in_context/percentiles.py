"""The similarities of a word on their percentile scales, and how alike any two words are."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array, Exact
from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, Scales, calibration_sentences
from bertviz_core.calibration.percentiles import column, in_words, interval
from bertviz_core.calibration.run import FUNCTION_WORDS
from bertviz_core.calibration.scales import MOST_PIECES
from bertviz_core.claims.cosines import COSINE, HIGH_COSINE
from bertviz_core.figures.axes import label, layers, titled
from bertviz_core.figures.colors import MUTED, TOKEN, faint
from bertviz_core.figures.drawing import Figure, band, bars, draw, line, vertical_line
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, heading, note, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Part, View
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared

BINS, HEIGHT = 80, 120  # of a histogram; pixels
BARS, LABEL = 40, 17  # of them the bars and their label take


@view("is this cosine high for this layer?", page=PAGE, rank=40)
def percentiles(
    found: Compared, layer: int, bert: Bert, target: Annotated[str, TARGET] = ""
) -> View:
    """The percentile of each cosine among unrelated pairs, as measured and mean-centred."""
    scales, followed = found.scales, found.followed(target)
    if scales is None:
        return View(
            note(
                "Press “Measure the percentile scale” below the picture. It takes some seconds, "
                "once. The percentiles then appear here."
            )
        )
    verdict, any_two = HIGH_COSINE.condition(scales), scales.between(1, 1)
    return View(
        _similarities(bert, found, scales, followed, found.others(target), layer),
        _anisotropy(any_two, layer) if any_two is not None else [],
        heading(f"What is a cosine of {COSINE} worth?"),
        say(HIGH_COSINE.template(verdict), method="percentile-scales", **verdict.numbers),
        caption(HIGH_COSINE.typical, method="sentences-and-their-conditions"),
        made=found.made(layer),
    )


def _similarities(
    bert: Bert, found: Compared, scales: Scales, followed: int, others: list[int], layer: int
) -> list[Part]:
    """A word's similarities: finding, picture, table and program."""
    word, names = found.words[followed], [found.names[number] for number in others]
    vectors = np.stack([found.everything[number].vectors[layer] for number in others])
    cosines = found.cosines[followed, others, layer]
    centred = scales.centred_cosines(word.vectors[layer][None], vectors, layer)[0]
    of_pairs = [found.scale(followed, number) for number in others]
    cosine, scale = float(cosines[0]), of_pairs[0]
    said = say(
        "At layer {layer}, <b>{word}</b> in <i>{sentence}</i> and <b>{other}</b> have "
        "similarity <b>{cosine}</b>: {percentile}"
        + (" ({interval} for sentences like these)." if scale is not None else "."),
        layer=layer,
        word=word.word,
        sentence=found.sentence(followed),
        other=names[0],
        cosine=rounded(cosine),
        percentile=in_words(scale, cosine, layer) or "no percentile",
        interval=interval(scale, cosine, layer),
        method="percentile-scales",
    )
    numbers = table(
        {"to": names}
        | _columns(of_pairs, cosines, layer, "similarity", centred=False)
        | _columns(of_pairs, centred, layer, "mean-centred", centred=True)
        | {"among": ["" if one is None else f"{one.pairs:,} {one.kind}" for one in of_pairs]},
        name="scale",
        fold="Table",
    )
    if scale is None:
        return [said, numbers]
    pair = (found.everything[followed], found.everything[others[0]])
    one, two = sorted(pair, key=lambda word: word.alone)  # a word alone must be the second
    of_scale = f"{scale.pairs:,} {scale.kind}"
    return [
        said,
        picture(
            percentile_scale(scale.quantiles[layer], scale.percents, cosine, names[0]),
            alt=f"Histogram of the cosines of {of_scale}; {names[0]}, {cosine:.3f}, is "
            f"{in_words(scale, cosine, layer)}.",
            name="percentile-scale-1",
        ),
        caption(
            "Bars: cosines of {pairs}, layer {layer}. The 95% interval holds for short sentences "
            "in plain English; other texts have other percentiles, above all for words in pieces.",
            pairs=of_scale,
            layer=layer,
        ),
        numbers,
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
            cosine=round(cosine, 6),
        ),
    ]


def _columns(
    scales: list[Calibration | None], cosines: Array, layer: int, title: str, *, centred: bool
) -> dict[str, Any]:
    """Cosines with their percentiles, each on its own scale, and how sure these are."""
    pairs = list(zip(scales, cosines.tolist(), strict=True))
    how: dict[str, Any] = {"layer": layer, "centred": centred}
    found = [np.nan if one is None else one.percentile(cosine, **how) for one, cosine in pairs]
    intervals = [interval(one, cosine, **how) for one, cosine in pairs]
    shown = column(np.array(found))
    return {title: cosines, f"{title}, percentile": shown, f"{title}, 95% interval": intervals}


def _anisotropy(scale: Calibration, layer: int) -> list[Part]:
    """How alike any two words of one piece are at every layer."""
    mean, last = scale.anisotropy, scale.layers - 1
    centred, highest = scale.centred_anisotropy, int(np.argmax(mean))
    return [
        heading("How alike any two words are, layer by layer"),
        say(
            "Any two words have mean similarity <b>{end}</b> at layer {last}; it is highest, "
            "<b>{highest}</b>, at layer {highest_layer}.",
            end=rounded(float(mean[-1])),
            last=last,
            highest=rounded(float(mean[highest])),
            highest_layer=highest,
            method="anisotropy",
        ),
        picture(
            _curves(scale, layer),
            alt=f"Mean cosine of {scale.kind} over layers 0 to {last}: {mean[0]:.3f} at the "
            f"input, {mean[highest]:.3f} at layer {highest}, {mean[-1]:.3f} at the end; after "
            f"centring between {centred.min():.3f} and {centred.max():.3f}.",
            name="anisotropy",
        ),
        table(scale.columns(), name="anisotropy", fold="Table"),
    ]


def _curves(scale: Calibration, layer: int) -> Figure:
    """The mean cosine by layer, as measured and after centring, and the middle 90% of pairs."""
    numbers, hover = np.arange(scale.layers), "layer %{x}<br>%{y:.3f}"
    low, high = (
        np.array([np.interp(percent, scale.percents, row) for row in scale.quantiles])
        for percent in (5, 95)
    )
    return draw(
        [
            band(numbers, low, high, "middle 90% of the pairs", faint(TOKEN, 0.18)),
            line(numbers, scale.anisotropy, "mean cosine", hover),
            line(numbers, scale.centred_anisotropy, "mean cosine, mean-centred", hover, 1),
        ],
        height=340,
        legend=True,
        shapes=[vertical_line(layer)],
        xaxis=layers(),
        yaxis=titled("cosine of the pairs", tickformat=".2f", zeroline=True),
    )


def percentile_scale(quantiles: Array, percents: Exact, mark: float, name: str) -> Figure:
    """Draw the cosines of pairs as bars whose heights add up to 100 percent."""
    # The axis leaves out the outermost 0.1 percent of the pairs at each end; zooming shows them.
    ends = (*np.interp([0.1, 99.9], percents, quantiles), mark)
    low, high = float(min(ends)), float(max(ends))
    if high <= low:
        low, high = low - 0.01, high + 0.01
    width = (high - low) / BINS
    centers, shares = _shares(quantiles, percents, width)
    drawn = bars(
        shares.astype(np.float32),
        "cosine %{x:.3f}<br>%{y:.1f}% of the pairs",
        [TOKEN if center < mark else MUTED for center in centers],
        x=centers.astype(np.float32),
        width=width,
    )
    # The label is above the bars, on that side of its line where there is room.
    top = float(shares.max()) * (BARS + LABEL) / BARS
    note = {
        "text": f" {label(name)} {mark:.3f} ",
        "x": mark,
        "y": top,
        "xanchor": "left" if mark < (low + high) / 2 else "right",
        "yanchor": "top",
        "borderpad": 0,
    }
    room = 0.03 * (high - low)
    return draw(
        [drawn],
        height=HEIGHT,
        bargap=0,
        shapes=[vertical_line(mark, TOKEN, 2.5, "solid")],
        annotations=[note],
        xaxis={"range": [low - room, high + room], "nticks": 7},
        yaxis={"visible": False, "range": [0, top]},
    )


def _shares(quantiles: Array, percents: Exact, width: float) -> tuple[Exact, Exact]:
    """Centres of bins of a width, and the percent of the pairs in each."""
    values = quantiles.astype(np.float64)
    count = max(int(np.ceil((values[-1] - values[0]) / width)), 1)
    edges = values[0] + width * np.arange(count + 1)
    # Each gap between two quantiles holds its share, spread evenly; equal ones are a step.
    up_to = np.interp(edges, values, percents)
    up_to[0], up_to[-1] = 0, 100
    return (edges[:-1] + edges[1:]) / 2, np.diff(up_to)
