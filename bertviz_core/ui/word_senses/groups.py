"""Groups of a word's occurrences, layer by layer, and how they fit its senses."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core import senses
from bertviz_core.arrays import Array
from bertviz_core.figures.sense_scores import layer_scores
from bertviz_core.senses import Chance, Groups
from bertviz_core.senses.groups import MOST_GROUPS
from bertviz_core.ui import inputs
from bertviz_core.ui.html import finding
from bertviz_core.ui.show import chart, folded_table, waiting
from bertviz_core.ui.word_senses import results
from bertviz_core.ui.word_senses.occurrences import Mapped
from bertviz_core.ui.word_senses.sense_scores import layers_named

PROPOSED = "as proposed"
COUNTS: dict[str, int | None] = {
    PROPOSED: None,
    **{str(count): count for count in range(2, MOST_GROUPS + 1)},
}


def with_chosen_count(mapped: Mapped) -> Mapped:
    """Ask how many groups to make of the occurrences."""
    count = inputs.choice(
        "Number of groups",
        COUNTS,
        key="k",
        help="The number with the best mean silhouette is only a proposal, for each layer: it "
        "says which groups are compact, not how many senses there are.",
    )
    return replace(mapped, group_count=count)


def layer_groups(mapped: Mapped, layer: int) -> tuple[Array, list[Groups], Chance | None]:
    """Draw how well the groups at each layer agree with the labels, or how clear they are.

    Returns:
        The score of each layer, float32, its groups, and what shuffled labels reach.
    """
    with waiting("Grouping the occurrences at every layer …", height=330):
        by_layer = [mapped.groups(number) for number in range(mapped.last_layer + 1)]
        scores = _scores(mapped, by_layer)
        chance = None
        if mapped.labelled:
            chance = results.shuffled_agreement(
                mapped.key, mapped.marks, mapped.group_count, by_layer, mapped.senses
            )
    name = "agreement" if mapped.labelled else "silhouette"
    measured = "agreement with labels" if mapped.labelled else "mean silhouette"
    chart(
        layer_scores(
            scores,
            score_name=measured,
            best=best_layers(mapped, scores),
            layer=layer,
            lowest=-0.1 if mapped.labelled else None,
            chance=None if chance is None else (chance.by_layer, chance.best),
        ),
        alt=f"{measured.capitalize()} of the groups by layer: "
        + ", ".join(f"{number}: {score:.2f}" for number, score in enumerate(scores))
        + ("" if chance is None else f". Shuffled labels reach {chance.best:.2f}."),
        name=f"senses-{name}",
    )
    return scores, by_layer, chance


def groups_table(
    mapped: Mapped, scores: Array, by_layer: Sequence[Groups], chance: Chance | None
) -> None:
    """Fold away the numbers behind the curve."""
    columns: dict[str, Any] = {
        "layer": np.arange(len(scores)),
        "groups": [groups.count for groups in by_layer],
        "proposed": [groups.proposed for groups in by_layer],
        "silhouette": np.array([groups.silhouette for groups in by_layer], np.float32),
    }
    if chance is not None:
        columns |= {"agreement": scores, "agreement, shuffled": chance.by_layer}
    folded_table(
        "The numbers of all layers", lambda: columns, key="layer-numbers", name="senses-by-layer"
    )


def groups_finding(
    mapped: Mapped, scores: Array, by_layer: Sequence[Groups], chance: Chance | None
) -> None:
    """Name the layer whose groups fit the labels best, or are the clearest."""
    best = best_layers(mapped, scores)
    if not best:
        finding(
            "All occurrences of <b>{word}</b> have the same vector.",
            method="groups-of-occurrences",
            word=mapped.word,
        )
        return
    first, *others = best
    if chance is None:
        template = (
            "The occurrences of <b>{word}</b> fall apart most clearly at layer <b>{clearest}</b>: "
            "into <b>{groups}</b> groups, with a mean silhouette of <b>{score}</b> (1 would be "
            "tight groups far apart, 0 groups that touch). At layer 0 they differ only by their "
            "position in the line and the form of the word."
        )
    else:
        template = (
            "Groups found without the labels agree with them best at layer <b>{clearest}</b>: "
            "there are {groups}"
            + (", as the silhouette proposes" if mapped.group_count is None else "")
            + ", and the adjusted Rand index is <b>{score}</b> (1 is full agreement; shuffled "
            "labels reach {groups_chance} at their best layer)."
        )
    if others:
        template += " The same score is reached at {others}."
    count, as_many, at = _as_many_as_senses(mapped)
    if as_many is not None and as_many > scores[first]:
        template += (
            " With {senses} groups, one for each sense, it is at best <b>{as_many}</b>, at {at}."
        )
    finding(
        template,
        method="groups-of-occurrences",
        word=mapped.word,
        clearest=first,
        others=layers_named(others),
        groups=by_layer[first].count,
        score=f"{scores[first]:.2f}",
        groups_chance="" if chance is None else f"{chance.best:.2f}",
        senses=count,
        as_many="" if as_many is None else f"{as_many:.2f}",
        at=layers_named(at),
    )


def best_layers(mapped: Mapped, scores: Array) -> list[int]:
    """The layers with the highest score; none where no layer has one.

    Without labels the input embedding does not count: there, occurrences differ only by their
    position in the line and by form, and groups are groups of these.
    """
    counted = scores.copy()
    if not mapped.labelled:
        counted[0] = np.nan
    if np.isnan(counted).all():
        return []
    return [int(layer) for layer in np.flatnonzero(counted == np.nanmax(counted))]


def _scores(mapped: Mapped, by_layer: Sequence[Groups]) -> Array:
    if not mapped.labelled:
        return np.array([groups.silhouette for groups in by_layer], np.float32)
    return np.array([senses.agreement(groups, mapped.senses) for groups in by_layer], np.float32)


def _as_many_as_senses(mapped: Mapped) -> tuple[int, np.float32 | None, list[int]]:
    """How many senses are labelled; the best agreement of as many groups, and its layers.

    None in place of the agreement where the chosen groups are these, or there are no such groups.
    """
    count = len({sense for sense in mapped.senses if sense is not None})
    by_layer = [
        replace(mapped, group_count=count).groups(layer) for layer in range(mapped.last_layer + 1)
    ]
    if count == mapped.group_count or any(groups.count != count for groups in by_layer):
        return count, None, []
    scores = _scores(mapped, by_layer)
    return count, scores.max(), np.flatnonzero(scores == scores.max()).tolist()


def what_the_scores_mean() -> None:
    """Fold away how the groups are made."""
    with st.expander("What the scores mean", icon=":material/help:"):
        st.markdown(
            "At each layer, k-means makes 2 to 6 groups of the vectors. The **silhouette** says "
            "how much nearer a vector is to its own group than to the next one, from −1 to 1; the "
            "number of groups with the best mean silhouette is proposed. The **agreement** with "
            "the labels is the adjusted Rand index: 1 where groups and senses are the same, 0 on "
            "average by chance; how far chance strays from that is drawn beside it."
        )
