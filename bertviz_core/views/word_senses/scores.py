"""How well each layer tells the labelled senses of a word apart, or something cheaper."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.axes import layers as layer_axis
from bertviz_core.figures.axes import titled
from bertviz_core.figures.drawing import Figure, draw, horizontal_line, line, vertical_line
from bertviz_core.figures.sense_scores import layer_scores
from bertviz_core.senses import Confound, SenseScores
from bertviz_core.senses.confounds import FORM, LENGTH, LINE, POSITION
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, picture, say, table
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Sentence, Table, View
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, layers_named, scores_of

AUC = "AUC of pairs"
NAMES = {
    FORM: "form of the word",
    POSITION: "position in the sentence",
    LENGTH: "length of the sentence",
    LINE: "source line",
}


def finding(mapped: Mapped) -> Sentence:
    """Name the layer that tells the senses apart best, and those that may do it as well."""
    scores = scores_of(mapped)
    auc, (best, *equal) = scores.auc, scores.best
    as_good = mapped.numbers_of(sorted([*equal, *scores.rivals]))
    if not auc.chance.beaten_by(auc.values[best]):
        said = (
            "The senses of <b>{word}</b> do not come apart: at every layer shuffled labels score "
            "as high (AUC at most <b>{auc}</b>)."
        )
    else:
        said = (
            "Layer <b>{layer}</b> tells the senses of <b>{word}</b> apart best (AUC <b>{auc}</b>)"
            + ("; {as_good} may be as good." if as_good else ".")
        )
    return say(
        said,
        method="scores-of-senses",
        word=mapped.word,
        layer=mapped.layers[best],
        auc=f"{auc.values[best]:.2f}",
        as_good=layers_named(as_good),
    )


@view(
    "layer by layer",
    page=PAGE,
    rank=10,
    doing="Scoring every layer …",
    when=lambda scorable: scorable,
)
def score_curve(bert: Bert, mapped: Mapped, layer: int) -> View:
    """How well every layer tells labelled senses apart, and what shuffled labels reach."""
    scores = scores_of(mapped)
    auc, best = scores.auc, scores.best[0]
    return View(
        say(
            "Take a pair of one sense and a pair of two senses: at layer <b>{best}</b> the pair of "
            "one sense is more similar <b>{auc_best:.0%}</b> of the time (50% by chance).",
            method="scores-of-senses",
            best=mapped.layers[best],
            auc_best=float(auc.values[best]),
        ),
        _how_sure(mapped, scores),
        picture(
            layer_scores(
                auc.values,
                score_name=AUC,
                best=mapped.numbers_of(scores.best),
                layer=layer,
                numbers=mapped.layers,
                lowest=0.4,
                interval=(auc.low, auc.high),
                chance=(auc.chance.by_layer, auc.chance.best),
            ),
            alt=f"{AUC}, same sense against different senses, by layer: "
            + ", ".join(
                f"{number}: {area:.2f} ({low:.2f} to {high:.2f})"
                for number, area, low, high in zip(
                    mapped.layers, auc.values, auc.low, auc.high, strict=True
                )
            )
            + f". Shuffled labels reach {auc.chance.best:.2f} at their best layer.",
            name="senses-scores",
        ),
        table(
            lambda: {**scores.columns(), "layer": mapped.layers}, name="senses-scores", fold="Table"
        ),
        mapped.program("senses/scores", bert, layer, layer=mapped.layers[best]),
        made=mapped.made(layer),
    )


def _how_sure(mapped: Mapped, scores: SenseScores) -> Sentence:
    """How sure the score is, and what chance and the input embedding reach."""
    auc, accuracy, best = scores.auc, scores.accuracy, scores.best[0]
    said = "95% interval {low} to {high}; "
    if mapped.layers[0] == 0:
        said += (
            "at the input embedding, where occurrences differ only by their position and form, "
            "{auc_input}; "
        )
    said += (
        "with shuffled labels the best layer reaches {chance}. The nearest centroid names the "
        "sense of {right} of {scored} ({accuracy}; 95% interval {accuracy_low} to "
        "{accuracy_high}; with shuffled labels {accuracy_chance})."
    )
    labelled = sum(sense is not None for sense in mapped.senses)
    if labelled > len(scores.rows):
        said += " Compared are {scored} occurrences, drawn from the {labelled} with a label."
    return caption(
        said,
        low=f"{auc.low[best]:.2f}",
        high=f"{auc.high[best]:.2f}",
        chance=f"{auc.chance.best:.2f}",
        auc_input=f"{auc.values[0]:.2f}",
        right=round(float(accuracy.values[best]) * len(scores.rows)),
        scored=f"{len(scores.rows):,}",
        accuracy=f"{accuracy.values[best]:.0%}",
        accuracy_low=f"{accuracy.low[best]:.0%}",
        accuracy_high=f"{accuracy.high[best]:.0%}",
        accuracy_chance=f"{accuracy.chance.best:.0%}",
        labelled=f"{labelled:,}",
    )


@once
def _confounds(own: Bert | None, mapped: Mapped) -> tuple[Confound, ...]:
    scores = scores_of(mapped) if mapped.scorable else None
    return senses.confound_scores(mapped.vectors, mapped.occurrences, own, scores)


@view(
    "meaning, or just position and length?",
    page=PAGE,
    rank=20,
    doing="Comparing with form, position and length …",
)
def confounds(bert: Bert, mapped: Mapped, layer: int) -> View:
    """What else the cosine tells apart, and what is left of the senses where that is equal."""
    found = _confounds(bert if mapped.model == bert.name else None, mapped)
    if not found:
        return View(note("All occurrences are alike in form, position, length and line."))
    scores = scores_of(mapped) if mapped.scorable else None
    curves = {} if scores is None else {"sense": scores.auc.values}
    curves |= {NAMES[one.name]: one.auc for one in found}
    return View(
        _verdict(mapped, found, scores) if scores else _without_labels(mapped, found, layer),
        picture(
            _curves(curves, mapped.layers, layer),
            alt=f"{AUC} by layer, pairs alike in one respect against all others: "
            + "; ".join(
                f"{name}: " + ", ".join(f"{value:.2f}" for value in values)
                for name, values in curves.items()
            ),
            name="senses-cheaper",
        ),
        _held_equal(found, scores.best[0]) if scores else [],
        table({"layer": mapped.layers, **curves}, name="senses-cheaper", fold="Table"),
        mapped.program("senses/confounds", bert, layer, layer=mapped.layers[scores.best[0]])
        if scores
        else [],
        made=mapped.made(layer),
    )


def _curves(curves: Mapping[str, Array], numbers: Sequence[int], layer: int) -> Figure:
    """Several scores over the layers, the first one thicker, with a line at 0.5: chance."""
    x, hover = np.array(numbers), f"layer %{{x}}<br>{AUC} %{{y:.3f}}"
    traces = [line(x, y, name, hover, i) for i, (name, y) in enumerate(curves.items())]
    for number, trace in enumerate(traces):
        trace["line"] |= {"width": 1.8 if number else 3}
    lows = [float(np.nanmin(scores, initial=1.0)) - 0.03 for scores in curves.values()]
    return draw(
        traces,
        height=380,
        legend=True,
        shapes=[vertical_line(layer), horizontal_line(0.5)],
        xaxis=layer_axis(numbers=numbers),
        yaxis=titled(AUC, tickformat=".2f", range=[min(0.4, *lows), 1.08]),
    )


def _held_equal(found: tuple[Confound, ...], best: int) -> Table:
    """The AUC of senses among pairs that are alike in one respect, at the best layer."""
    return table(
        {
            "held equal": [NAMES[one.name] for one in found],
            "tells senses alone": np.array([one.alone for one in found]),
            "sense AUC": np.array([one.held[best] for one in found]),
            "from": np.array([one.low for one in found]),
            "to": np.array([one.high for one in found]),
            "pairs": [one.pairs for one in found],
        },
        name="senses-held-equal",
        decimals=2,
        fold="The senses where one of these is held equal",
    )


def _verdict(mapped: Mapped, found: tuple[Confound, ...], scores: SenseScores) -> list[Sentence]:
    """Say which of them do as well as the sense, and whether the sense stays without them."""
    best = scores.best[0]
    low = float(scores.auc.low[best])
    closest = max(found, key=lambda one: one.auc[best])
    telling = [NAMES[one.name] for one in found if max(one.alone, 1 - one.alone) >= low]
    fused = [NAMES[one.name] for one in found if np.isnan(one.held[best])]
    lost = [NAMES[one.name] for one in found if one.low <= 0.5]
    compared = [one.held[best] for one in found if not np.isnan(one.held[best])]
    values: dict[str, Any] = {
        "layer": mapped.layers[best],
        "closest": NAMES[closest.name],
        "closest_auc": f"{closest.auc[best]:.2f}",
        # The AUC of what tells the senses best without vectors, whichever way round.
        "alone": f"{max(max(one.alone, 1 - one.alone) for one in found):.2f}",
    }
    if telling:
        said = (
            "<b>What looks like sense may be the {telling}</b>: without any vector, it tells the "
            "senses apart by {alone}."
        )
        more = ["At layer {layer} the cosine follows the {closest} with an AUC of {closest_auc}."]
    else:
        said = (
            "At layer {layer} the cosine follows the {closest} <b>about as closely as the sense"
            "</b> (AUC {closest_auc} and {sense_auc})."
            if closest.auc[best] >= low
            else "At layer {layer} the cosine follows the <b>sense</b> (AUC {sense_auc}) more than "
            "the {closest} ({closest_auc})."
        )
        more = ["Alone, none of these tells the senses apart (AUC at most {alone})."]
    if fused:
        more.append("The senses always differ in {fused} here, so the two cannot be separated.")
    if lost:
        more.append("With an equal {lost}, the AUC of senses does not differ clearly from 0.50.")
    elif compared:
        more.append("Where they are held equal, the AUC of senses is at least {held}.")
    return [
        say(
            said,
            method="form-position-length-and-line",
            **values,
            sense_auc=f"{scores.auc.values[best]:.2f}",
            telling=joined(telling),
        ),
        caption(
            " ".join(more),
            **values,
            fused=joined(fused),
            lost=joined(lost),
            held=f"{min(compared, default=np.nan):.2f}",
        ),
    ]


def _without_labels(mapped: Mapped, found: tuple[Confound, ...], layer: int) -> Sentence:
    place = mapped.layers.index(layer)
    closest = max(found, key=lambda one: one.auc[place])
    return say(
        "At layer {layer} the cosine follows the <b>{closest}</b> most (AUC {closest_auc}"
        + ("; at the input embedding {closest_input})." if mapped.layers[0] == 0 else ")."),
        method="form-position-length-and-line",
        layer=layer,
        closest=NAMES[closest.name],
        closest_auc=f"{closest.auc[place]:.2f}",
        closest_input=f"{closest.auc[0]:.2f}",
    )
