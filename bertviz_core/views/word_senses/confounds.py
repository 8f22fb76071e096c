"""Whether what looks like sense may be form, position, length or the line it is in."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.axes import layers as layer_axis
from bertviz_core.figures.axes import titled
from bertviz_core.figures.drawing import Figure, draw, horizontal_line, line, vertical_line
from bertviz_core.senses import Confound, SenseScores
from bertviz_core.senses.confounds import FORM, LENGTH, LINE, POSITION
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, note, picture, say, table
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part, Sentence, View
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, scores_of
from bertviz_core.views.word_senses.scores import AUC

NAMES = {
    FORM: "form of the word",
    POSITION: "position in the sentence",
    LENGTH: "length of the sentence",
    LINE: "source line",
}


@once
def _confounds(own: Bert | None, mapped: Mapped) -> tuple[Confound, ...]:
    scores = scores_of(mapped) if mapped.scorable else None
    return senses.confound_scores(mapped.vectors, mapped.occurrences, own, scores)


@view(
    "is it sense, or something cheaper?",
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
    held = {} if scores is None else {NAMES[one.name]: one.held for one in found
                                      if one.name != LINE}  # fmt: skip
    return View(
        _without_labels(mapped, found, layer)
        if scores is None
        else _finding(mapped, found, scores),
        picture(
            _curves(curves, mapped.layers, layer),
            alt=f"{AUC} by layer, pairs alike in one respect against all others: "
            + "; ".join(
                f"{name}: " + ", ".join(f"{value:.2f}" for value in values)
                for name, values in curves.items()
            ),
            name="senses-cheaper",
        ),
        [] if scores is None else _among_alike(mapped, found, scores),
        table(
            {"layer": mapped.layers, **curves}
            | {f"sense, equal {name}": values for name, values in held.items()},
            name="senses-cheaper",
            fold="Table",
        ),
        mapped.program("senses/confounds", bert, layer, layer=mapped.layers[scores.best[0]])
        if scores
        else [],
        made=mapped.made(layer),
    )


def _curves(curves: Mapping[str, Array], numbers: Sequence[int], layer: int) -> Figure:
    """Several scores over the layers, the first one thicker, with a line at 0.5: chance."""
    traces = []
    for number, (name, scores) in enumerate(curves.items()):
        hover = f"layer %{{x}}<br>{AUC} %{{y:.3f}}"
        trace = line(np.array(numbers), scores, name, hover, number)
        trace["line"] |= {"width": 1.8 if number else 3}
        traces.append(trace)
    lows = [float(np.nanmin(scores, initial=1.0)) - 0.03 for scores in curves.values()]
    return draw(
        traces,
        height=380,
        legend=True,
        shapes=[vertical_line(layer), horizontal_line(0.5)],
        xaxis=layer_axis(numbers=numbers),
        yaxis=titled(AUC, tickformat=".2f", range=[min(0.4, *lows), 1.08]),
    )


def _among_alike(mapped: Mapped, found: tuple[Confound, ...], scores: SenseScores) -> list[Part]:
    best = scores.best[0]
    return [
        caption(
            "Held equal at layer {held_at}: the AUC of senses among pairs that are alike in one "
            "respect (for the source line: in different lines)",
            held_at=mapped.layers[best],
        ),
        table(
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
        ),
    ]


def _finding(
    mapped: Mapped, found: tuple[Confound, ...], scores: SenseScores
) -> tuple[Sentence, Sentence]:
    """Say which of them do as well as the sense, and whether the sense stays without them."""
    best = scores.best[0]
    low = float(scores.auc.low[best])
    closest = max(found, key=lambda one: one.auc[best])
    telling = [one for one in found if max(one.alone, 1 - one.alone) >= low]
    fused = [one for one in found if np.isnan(one.held[best])]
    lost = [one for one in found if one.low <= 0.5]
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
        more = ["Without vectors, none of these tells the senses (AUC at most {alone})."]
    if fused:
        more.append(
            "With an equal {fused} there are no pairs of both kinds left to compare, so the two "
            "cannot be told apart here."
        )
    if lost:
        more.append("With an equal {lost}, the AUC of senses does not differ clearly from 0.50.")
    elif compared:
        more.append("Where they are held equal, the AUC of senses is at least {held}.")
    return (
        say(
            said,
            method="form-position-length-and-line",
            **values,
            sense_auc=f"{scores.auc.values[best]:.2f}",
            telling=joined(NAMES[one.name] for one in telling),
        ),
        caption(
            " ".join(more),
            **values,
            fused=joined(NAMES[one.name] for one in fused),
            lost=joined(NAMES[one.name] for one in lost),
            held=f"{min(compared, default=np.nan):.2f}",
        ),
    )


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
