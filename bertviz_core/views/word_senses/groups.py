"""Groups of a word's occurrences, layer by layer, and how they fit its senses."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.sense_scores import layer_scores
from bertviz_core.senses import Chance, Groups
from bertviz_core.senses.groups import UNCLEAR
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.parts import caption, picture, say, table
from bertviz_core.views.view import Sentence, View
from bertviz_core.views.word_senses.mapped import PAGE, Mapped, layers_named


def finding(mapped: Mapped, layer: int, count: int | None) -> Sentence:
    """Say into how many groups the occurrences of one layer fall; for those without labels."""
    groups = mapped.groups(layer, count)
    if groups.count == 1:
        said = "At layer {layer} all occurrences of <b>{word}</b> have the same vector."
    elif groups.weak:
        said = (
            "At layer {layer} the occurrences of <b>{word}</b> split only weakly into "
            "<b>{groups}</b> groups (mean silhouette <b>{score}</b>; clear groups have more than "
            "{unclear})."
        )
    else:
        said = (
            "At layer {layer} the occurrences of <b>{word}</b> form <b>{groups}</b> groups (mean "
            "silhouette <b>{score}</b>; 1 is clear, 0 is none)."
        )
    return say(
        said,
        method="groups-of-occurrences",
        layer=layer,
        word=mapped.word,
        groups=groups.count,
        score=f"{groups.silhouette:.2f}",
        unclear=UNCLEAR,
    )


def _by_layer(mapped: Mapped, count: int | None) -> list[Groups]:
    return [mapped.groups(layer, count) for layer in mapped.layers]


@once
def _shuffled(mapped: Mapped, count: int | None) -> Chance:
    return senses.shuffled_agreement(_by_layer(mapped, count), mapped.senses)


@view("groups found without labels", page=PAGE, rank=30, doing="Grouping at every layer …")
def layer_groups(bert: Bert, mapped: Mapped, layer: int, groups: int | None = None) -> View:
    """How well groups found at each layer agree with the labels, or how clear they are."""
    by_layer = _by_layer(mapped, groups)
    scores = _scores(mapped, by_layer)
    chance = _shuffled(mapped, groups) if mapped.labelled else None
    name = "agreement" if mapped.labelled else "silhouette"
    measured = "agreement with labels" if mapped.labelled else "mean silhouette"
    best = _best_layers(mapped, scores)
    columns: dict[str, Any] = {
        "layer": mapped.layers,
        "groups": [one.count for one in by_layer],
        "proposed": [one.proposed for one in by_layer],
        "silhouette": np.array([one.silhouette for one in by_layer], np.float32),
    }
    if chance is not None:
        columns |= {"agreement": scores, "agreement, shuffled": chance.by_layer}
    return View(
        _findings(mapped, scores, by_layer, chance, best),
        picture(
            layer_scores(
                scores,
                score_name=measured,
                best=mapped.numbers_of(best),
                layer=layer,
                numbers=mapped.layers,
                lowest=-0.1 if mapped.labelled else None,
                chance=None if chance is None else (chance.by_layer, chance.best),
            ),
            alt=f"{measured.capitalize()} of the groups by layer: "
            + ", ".join(
                f"{number}: {score:.2f}"
                for number, score in zip(mapped.layers, scores, strict=True)
            )
            + ("" if chance is None else f". Shuffled labels reach {chance.best:.2f}."),
            name=f"senses-{name}",
        ),
        table(columns, name="senses-by-layer", fold="Table"),
        mapped.program("senses/groups", bert, layer, group_count=groups),
        made=mapped.made(layer),
    )


def _findings(
    mapped: Mapped,
    scores: Array,
    by_layer: Sequence[Groups],
    chance: Chance | None,
    best: Sequence[int],
) -> list[Sentence]:
    """Name the layer whose groups fit the labels best, or are the clearest."""
    method = "groups-of-occurrences"
    if not best:
        said = "All occurrences of <b>{word}</b> have the same vector."
        return [say(said, method=method, word=mapped.word)]
    first, *others = best
    groups, more = by_layer[first], []
    values: dict[str, Any] = {
        "word": mapped.word,
        "clearest": mapped.layers[first],
        "groups": groups.count,
        "score": f"{scores[first]:.2f}",
        "silhouette": f"{groups.silhouette:.2f}",
        "unclear": UNCLEAR,
        "others": layers_named(mapped.numbers_of(others)),
    }
    if chance is None:
        how = "only weakly" if groups.weak else "clearly"
        said = (
            f"The occurrences of <b>{{word}}</b> split {how}: at best at layer <b>{{clearest}}</b> "
            "into <b>{groups}</b> groups (mean silhouette <b>{score}</b>; clear groups have more "
            "than {unclear})."
        )
    else:
        values["reached"] = f"{chance.best:.2f}"
        said = (
            "Groups found without labels agree best with the senses at layer <b>{clearest}</b> "
            "(adjusted Rand index <b>{score}</b>; 1 is full agreement)."
            if chance.beaten_by(scores[first])
            else "Groups found without labels agree with the senses <b>no better</b> than shuffled "
            "labels do: at best <b>{score}</b>, at layer <b>{clearest}</b>, where shuffled labels "
            "reach {reached} (adjusted Rand index)."
        )
        if groups.weak:
            said += (
                " The split is weak (mean silhouette <b>{silhouette}</b>; clear groups have more "
                "than {unclear})."
            )
        more.append("Of {groups} groups, shuffled labels reach {reached} at their best layer.")
    if others:
        more.append("The same score is reached at {others}.")
    more.append(
        "k-means makes 2 to 6 groups of the vectors at each layer. The silhouette, from −1 to 1, "
        "compares how near a vector is to its own group and to the next one. The number of "
        "groups with the highest mean is proposed. Choose another number under Options."
    )
    return [say(said, method=method, **values), caption(" ".join(more), **values)]


def _best_layers(mapped: Mapped, scores: Array) -> list[int]:
    """The layers with the highest score, as indices; none where no layer has one."""
    counted = scores.copy()
    # At the input embedding unlabelled groups are groups of positions and of forms.
    if not mapped.labelled and mapped.layers[0] == 0 and len(counted) > 1:
        counted[0] = np.nan
    if np.isnan(counted).all():
        return []
    return [int(layer) for layer in np.flatnonzero(counted == np.nanmax(counted))]


def _scores(mapped: Mapped, by_layer: Sequence[Groups]) -> Array:
    if not mapped.labelled:
        return np.array([groups.silhouette for groups in by_layer], np.float32)
    return np.array([senses.agreement(groups, mapped.senses) for groups in by_layer], np.float32)
