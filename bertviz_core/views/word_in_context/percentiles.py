"""The similarities of a word on their percentile scales, and how alike any two words are."""

from typing import Annotated, Any

import numpy as np

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration, Scales, calibration_sentences
from bertviz_core.calibration.percentiles import column, in_words, interval
from bertviz_core.calibration.run import FUNCTION_WORDS
from bertviz_core.calibration.scales import MOST_PIECES
from bertviz_core.claims.cosines import COSINE, HIGH_COSINE
from bertviz_core.encoder import Encoder
from bertviz_core.figures.axes import layers, titled
from bertviz_core.figures.colors import TOKEN, faint
from bertviz_core.figures.drawing import Figure, band, draw, line, vertical_line
from bertviz_core.views.declare import view
from bertviz_core.views.parts import beside, caption, heading, note, picture, program, say, table
from bertviz_core.views.sentences import rounded
from bertviz_core.views.view import Part, Picture, Program, View
from bertviz_core.views.word_in_context.scale_picture import percentile_scale
from bertviz_core.views.word_in_context.words import PAGE, TARGET, Compared, Comparison, compared

MOST_MARKS = 6


@view("is this cosine high for this layer?", page=PAGE, rank=40, doing="Comparing the words …")
def percentiles(
    encoder: Encoder,
    comparison: Comparison,
    layer: int,
    scales: Scales | None = None,
    target: Annotated[str, TARGET] = "",
) -> View:
    """The percentile of each cosine among unrelated pairs, as measured and mean-centred."""
    if scales is None:
        return View(
            note(
                "The model has not been measured yet. Start it by the button below the picture; it "
                "takes some seconds, once, and then the percentile scale is shown here."
            )
        )
    found, followed = compared(encoder, comparison, scales), comparison.followed(target)
    by_kind = scales.percentiles(COSINE)
    verdict = HIGH_COSINE.condition(scales)
    return View(
        _similarities(encoder.bert, found, scales, followed, comparison.others(target), layer),
        heading("How alike any two words are, layer by layer"),
        _anisotropy(encoder.bert, comparison, scales.between(1, 1), layer),
        heading(f"What a cosine of {COSINE} is worth"),
        say(HIGH_COSINE.template(verdict), method="percentile-scales", **verdict.numbers),
        table(
            {"pairs of": [pair.description for pair in by_kind]}
            | {
                f"layer {number}": column(percents)
                for number, percents in enumerate(np.stack(list(by_kind.values()), axis=1))
            },
            name="worth",
        )
        if by_kind
        else [],
        made=comparison.made(layer),
    )


def _similarities(
    bert: Bert, found: Compared, scales: Scales, followed: int, others: list[int], layer: int
) -> list[Part]:
    """A word's similarities: finding, pictures, table and program."""
    word, names = found.words[followed], [found.names[number] for number in others]
    vectors = np.stack([found.everything[number].vectors[layer] for number in others])
    cosines = found.cosines[followed, others, layer]
    centred = scales.centred_cosines(word.vectors[layer][None], vectors, layer)[0]
    of_pairs = [found.scale(followed, number) for number in others]
    cosine, scale = float(cosines[0]), of_pairs[0]
    parts: list[Part] = [
        say(
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
    ]
    if len(others) > MOST_MARKS:
        several = "{all} similarities are in the table; the first {most} are drawn."
        parts.append(note(several, all=len(others), most=MOST_MARKS))
    last = None
    for i, of_pair in enumerate(of_pairs[:MOST_MARKS]):
        if of_pair is not None:
            if of_pair is not last:
                parts.append(
                    caption(
                        "Cosines of {pairs} {kind}, layer {layer}; on the right mean-centred",
                        pairs=f"{of_pair.pairs:,}",
                        kind=of_pair.kind,
                        layer=layer,
                    )
                )
            last, own = of_pair, (float(cosines[i]), float(centred[i]))
            parts.append(beside(*(_scale(of_pair, names[i], own, layer, i, at) for at in (0, 1))))
    kinds = ["" if one is None else f"{one.pairs:,} {one.kind}" for one in of_pairs]
    parts.append(
        table(
            {"to": names}
            | _columns(of_pairs, cosines, layer, "similarity", centred=False)
            | _columns(of_pairs, centred, layer, "mean-centred", centred=True)
            | {"among": kinds},
            name="scale",
            fold="Table",
        )
    )
    if scale is not None:
        one, two = found.everything[followed], found.everything[others[0]]
        if one.alone:  # which must be the second
            one, two = two, one
        parts += [
            caption(
                "The 95% interval regards only which sentences were drawn. It holds for sentences "
                "like these: short ones in plain English. Texts of another kind have other "
                "percentiles, words in pieces most of all (see Methods)."
            ),
            _program(
                bert,
                found.comparison,
                "percentile-scale",
                first_pieces=min(len(one.tokens), MOST_PIECES),
                second_pieces=min(len(two.tokens), MOST_PIECES),
                second_alone=two.alone,
                layer=layer,
                cosine=round(cosine, 6),
            ),
        ]
    return parts


def _scale(
    scale: Calibration, name: str, cosines: tuple[float, float], layer: int, number: int, at: int
) -> Picture:
    """One cosine, `at` 1 mean-centred, among those of unrelated pairs.

    Near marks in one picture would overprint.
    """
    quantiles = (scale.quantiles, scale.centred_quantiles)[at][layer]
    middle = float(np.interp(50, scale.percents, quantiles))
    return picture(
        percentile_scale(quantiles, scale.percents, cosines[at], name),
        alt=f"Histogram of the cosines of {scale.pairs:,} {scale.kind}, half of them below "
        f"{middle:.3f}; {name}, {cosines[at]:.3f}, is "
        f"{in_words(scale, cosines[at], layer, centred=bool(at))}.",
        name=f"percentile-scale-{number + 1}{'-centred' * at}",
    )


def _columns(
    scales: list[Calibration | None], cosines: Array, layer: int, title: str, *, centred: bool
) -> dict[str, Any]:
    """Cosines with their percentiles, each on its own scale, and how sure these are."""
    pairs = list(zip(scales, cosines.tolist(), strict=True))
    found = [
        np.nan if scale is None else scale.percentile(cosine, layer, centred=centred)
        for scale, cosine in pairs
    ]
    return {
        title: cosines,
        f"{title}, percentile": column(np.array(found)),
        f"{title}, 95% interval": [
            interval(scale, cosine, layer, centred=centred) for scale, cosine in pairs
        ],
    }


def _program(bert: Bert, comparison: Comparison, name: str, /, **values: Any) -> Program:
    """The program that measures the scale of two words of so many pieces."""
    return program(
        "calibration/words",
        bert,
        sentences=list(calibration_sentences()),
        function_words=" ".join(FUNCTION_WORDS.read_text(encoding="utf-8").split()),
        pooling=comparison.pooling,
        name=name,
        **values,
    )


def _anisotropy(
    bert: Bert, comparison: Comparison, scale: Calibration | None, layer: int
) -> list[Part]:
    """How alike any two words of one piece are at every layer."""
    if scale is None:
        return [note("The sentences that are measured hold too few words that are one piece.")]
    mean, last = scale.anisotropy, scale.layers - 1
    centred, highest = scale.centred_anisotropy, int(np.argmax(mean))
    return [
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
        note(
            "Measured on {pairs} pairs of {vectors} content words, each one piece, from "
            "{sentences} sentences that ship with the app: different words, of different "
            "sentences.",
            pairs=f"{scale.pairs:,}",
            vectors=f"{scale.vectors:,}",
            sentences=scale.sentences,
        ),
        caption(
            "The measure: Ethayarajh (2019), “How Contextual are Contextualized Word "
            "Representations?”; taking away the mean: Mu & Viswanath (2018), “All-but-the-Top”."
        ),
        table(scale.columns(), name="anisotropy", fold="Table"),
        _program(
            bert,
            comparison,
            "anisotropy",
            first_pieces=1,
            second_pieces=1,
            second_alone=False,
            layer=layer,
            cosine=round(float(mean[layer]), 6),
        ),
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
