"""Whether what looks like sense may be form, position, length or the line it stands in."""

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.figures.sense_scores import compared_scores
from bertviz_core.senses import Confound, SenseScores
from bertviz_core.senses.confounds import FORM, LENGTH, LINE, POSITION
from bertviz_core.ui.html import caption, finding, joined, note
from bertviz_core.ui.show import chart, folded_table, table
from bertviz_core.ui.waiting import waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.occurrences import Mapped
from bertviz_core.ui.word_senses.sense_scores import AUC, scores_of, show_code

NAMES = {
    FORM: "form of the word",
    POSITION: "position in the sentence",
    LENGTH: "length of the sentence",
    LINE: "source line",
}


def confounds(bert: Bert, mapped: Mapped, layer: int) -> None:
    """Show what else the cosine tells apart, and what is left of the senses where that is equal.

    Args:
        bert: The checkpoint in use; its tokens count where the vectors are its own.
        mapped: The occurrences in view.
        layer: The layer in view.
    """
    scores = scores_of(mapped) if mapped.scorable else None
    with waiting("Comparing with form, position and length …", height=380):
        found = results.confounds(
            mapped.key,
            mapped.marks,
            bert.name,
            mapped.vectors,
            mapped.occurrences,
            bert if mapped.key.model == bert.name else None,
            scores,
        )
    if not found:
        note("All occurrences are alike in form, position, length and line.")
        return
    if scores is None:
        _unlabelled_finding(mapped, found, layer)
    else:
        _finding(mapped, found, scores)
    curves = {} if scores is None else {"sense": scores.auc.values}
    curves |= {NAMES[one.name]: one.auc for one in found}
    chart(
        compared_scores(curves, score_name=AUC, layer=layer, numbers=mapped.layers),
        alt=f"{AUC} by layer, pairs alike in one respect against all others: "
        + "; ".join(
            f"{name}: " + ", ".join(f"{value:.2f}" for value in values)
            for name, values in curves.items()
        ),
        name="senses-cheaper",
        of=mapped.made(layer),
    )
    if scores is not None:
        _among_alike(mapped, found, scores)
    folded_table(
        "Table",
        lambda: (
            {"layer": mapped.layers, **curves}
            | {
                f"sense, equal {NAMES[one.name]}": one.held
                for one in found
                if scores is not None and one.name != LINE
            }
        ),
        key="cheaper-numbers",
        name="senses-cheaper",
        of=mapped.made(layer),
    )
    if scores is not None:
        show_code(bert, mapped, scores, layer)


def _among_alike(mapped: Mapped, found: tuple[Confound, ...], scores: SenseScores) -> None:
    st.caption(
        f"Held equal at layer {mapped.layers[scores.best[0]]}: the AUC of senses among pairs that "
        "are alike in one respect (for the source line: in different lines)"
    )
    table(
        {
            "held equal": [NAMES[one.name] for one in found],
            "tells senses alone": np.array([one.alone for one in found]),
            "sense AUC": np.array([one.held[scores.best[0]] for one in found]),
            "from": np.array([one.low for one in found]),
            "to": np.array([one.high for one in found]),
            "pairs": [one.pairs for one in found],
        },
        name="senses-held-equal",
        decimals=2,
    )


def _finding(mapped: Mapped, found: tuple[Confound, ...], scores: SenseScores) -> None:
    """Say which of them do as well as the sense, and whether the sense stays without them."""
    best = scores.best[0]
    low = float(scores.auc.low[best])
    closest = max(found, key=lambda one: one.auc[best])
    telling = [one for one in found if max(one.alone, 1 - one.alone) >= low]
    fused = [one for one in found if np.isnan(one.held[best])]
    lost = [one for one in found if one.low <= 0.5]
    compared = [one for one in found if not np.isnan(one.held[best])]
    if telling:
        said = (
            "<b>What looks like sense may be the {telling}</b>: without any vector, it tells the "
            "senses apart by {alone}."
        )
    elif closest.auc[best] >= low:
        said = (
            "At layer {layer} the cosine follows the {closest} <b>about as closely as the sense"
            "</b> (AUC {closest_auc} and {sense_auc})."
        )
    else:
        said = (
            "At layer {layer} the cosine follows the <b>sense</b> (AUC {sense_auc}) more than the "
            "{closest} ({closest_auc})."
        )
    finding(
        said,
        method="form-position-length-and-line",
        layer=mapped.layers[best],
        closest=NAMES[closest.name],
        closest_auc=f"{closest.auc[best]:.2f}",
        sense_auc=f"{scores.auc.values[best]:.2f}",
        telling=_listed(telling),
        alone=f"{_most_alone(found):.2f}",
    )
    more = []
    if telling:
        more.append(
            "At layer {layer} the cosine follows the {closest} with an AUC of {closest_auc}."
        )
    else:
        more.append("Without vectors, none of these tells the senses (AUC at most {alone}).")
    if fused:
        more.append(
            "With an equal {fused} there are no pairs of both kinds left to compare, so the two "
            "cannot be told apart here."
        )
    if lost:
        more.append("With an equal {lost}, the AUC of senses is not told from 0.50.")
    elif compared:
        more.append("Where they are held equal, the AUC of senses is at least {held}.")
    caption(
        " ".join(more),
        layer=mapped.layers[best],
        closest=NAMES[closest.name],
        closest_auc=f"{closest.auc[best]:.2f}",
        alone=f"{_most_alone(found):.2f}",
        fused=_listed(fused),
        lost=_listed(lost),
        held=f"{min((one.held[best] for one in compared), default=np.nan):.2f}",
    )


def _most_alone(found: tuple[Confound, ...]) -> float:
    """The AUC of what tells the senses best without vectors, whichever way round."""
    return max(max(one.alone, 1 - one.alone) for one in found)


def _unlabelled_finding(mapped: Mapped, found: tuple[Confound, ...], layer: int) -> None:
    place = mapped.layers.index(layer)
    closest = max(found, key=lambda one: one.auc[place])
    finding(
        "At layer {layer} the cosine follows the <b>{closest}</b> most (AUC {closest_auc}"
        + ("; at the input embedding {closest_input})." if mapped.layers[0] == 0 else ")."),
        method="form-position-length-and-line",
        layer=layer,
        closest=NAMES[closest.name],
        closest_auc=f"{closest.auc[place]:.2f}",
        closest_input=f"{closest.auc[0]:.2f}",
    )


def _listed(found: list[Confound]) -> str:
    return joined([NAMES[one.name] for one in found]) if found else ""
