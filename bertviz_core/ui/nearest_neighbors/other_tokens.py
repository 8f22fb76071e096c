"""Where a score stands among those of other tokens' nearest neighbours: in words, and drawn."""

from collections.abc import Mapping
from weakref import WeakKeyDictionary

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array
from bertviz_core.bert import Bert
from bertviz_core.figures.neighbors import score_distribution
from bertviz_core.neighbors import NearestScores, Neighbors, nearest_scores
from bertviz_core.neighbors.search import SCORE_NAMES
from bertviz_core.ui import jobs
from bertviz_core.ui.html import note
from bertviz_core.ui.jobs import Job
from bertviz_core.ui.percentiles import column, percent
from bertviz_core.ui.show import chart, code, table

# One a checkpoint, as long as it is open. Not in a cache of Streamlit's, because any visitor can
# have those emptied.
known: WeakKeyDictionary[Bert, NearestScores] = WeakKeyDictionary()


def find_scores(bert: Bert) -> NearestScores | None:
    """Give what scores are compared with, or begin to search it beside the page: one to four
    seconds of a processor, once a model.

    Returns:
        The scores; None while there are none, and then the page shows scores alone.
    """
    scores = known.get(bert)
    job = _job(bert.name)
    if scores is None and (job is None or job.state != "failed"):

        def work(job: Job) -> None:
            known[bert] = nearest_scores(bert, job.report)

        jobs.begin(_key(bert.name), f"Comparing with other tokens of {bert.name}", work)
    return scores


def follow(bert: Bert) -> None:
    """Run the page again once there is something to compare with; nothing if there is."""
    if bert in known:
        return
    job = _job(bert.name)
    if job is not None and job.state == "failed":
        note("No percentiles: {problem}", problem=job.message)
    else:
        jobs.follow_beside(_key(bert.name), _progress_text)


def _progress_text(_: Job) -> str:
    return "Searching the neighbours of other tokens, to compare with, once."


def _key(name: str) -> tuple[str, str]:
    return ("other tokens", name)


def _job(name: str) -> Job | None:
    return jobs.find(_key(name))


def closer_than(scores: NearestScores | None, neighbors: Neighbors) -> str:
    """What follows the best score: ", a closer nearest neighbour than 43% of ... have", or ""."""
    if scores is None:
        return ""
    percentile = float(scores.percentiles(neighbors)[0])  # of the query's own there is none
    if np.isnan(percentile):
        return ""
    others = f"{scores.of_others(neighbors).size:,} other tokens"
    if percentile == 0:
        return f", a nearest neighbour less close than any of {others} has"
    if percentile == 100:
        return f", a closer nearest neighbour than any of {others} has"
    return f", a closer nearest neighbour than {percent(percentile)}% of {others} have"


def on_scale(bert: Bert, answered: Mapping[str, Neighbors]) -> None:
    """Fold away the scores of other tokens' nearest neighbours, with each query's best marked.

    Args:
        bert: The model in use.
        answered: The answers to each query, at least one answer that is no part of the query.
    """
    folded = st.expander(
        "Percentile scale: the nearest neighbours of other tokens",
        icon=":material/straighten:",
        key="worth",
        bind="query-params",
    )
    if folded.open:
        with folded:
            _unfolded(bert, answered)


def _unfolded(bert: Bert, answered: Mapping[str, Neighbors]) -> None:
    scores = find_scores(bert)
    if scores is None:
        return  # `follow` says so
    compared = [
        (f"{query}: {neighbors.tokens[best]}", neighbors, best)
        for query, neighbors in answered.items()
        if scores.compares(neighbors)
        for best in np.flatnonzero(~neighbors.is_own)[:1]
    ]
    if len(compared) < len(answered):
        note(
            "Sums, and words of several pieces, are compared by cosine only: their vectors are "
            "longer or shorter than a row of the table, and the other two measures depend on that."
        )
    for number, (name, neighbors, best) in enumerate(compared, start=1):
        _picture(scores.of_others(neighbors), name, neighbors, best, number)
    if not compared:
        return
    _, first, _ = compared[0]
    score_name = SCORE_NAMES[first.metric]
    note(
        "Drawn at random, the same for every query: {drawn} tokens that are neither special nor "
        "[unused]. Those of a query are left out when it is compared.",
        method="nearest-neighbours-of-other-tokens",
        drawn=f"{scores.token_ids.size:,}",
    )
    table(
        {
            "query and its nearest": [name for name, _, _ in compared],
            score_name: np.array([one.scores[best] for _, one, best in compared]),
            "percentile": column(
                np.array([scores.percentiles(one)[best] for _, one, best in compared])
            ),
        },
        name="percentile-scale",
    )
    code(
        "neighbors/other_tokens",
        bert,
        own=first.own_ids.tolist(),
        score=round(float(first.scores[compared[0][2]]), 6),
        metric=first.metric,
        keep=first.keep,
        unused=first.unused,
        name="table-ruler",
    )


def _picture(others: Array, name: str, neighbors: Neighbors, best: int, number: int) -> None:
    score_name, score = SCORE_NAMES[neighbors.metric], neighbors.scores[best]
    st.text(f"{name}, among the nearest neighbours of {others.size:,} other tokens")
    chart(
        score_distribution(
            others, neighbors.scores[best : best + 1], score_name=score_name, lines=True
        ),
        alt=f"Histogram of the {score_name} of {others.size:,} other tokens with their nearest "
        f"neighbour, half of them below {np.median(others):.3f}; marked is {name}, {score:.3f}.",
        name=f"percentile-scale-{number}",
    )
