"""The sections that draw scores: of all rows of the table, and of other tokens' neighbours."""

from collections.abc import Mapping

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.figures.neighbors import score_distributions
from bertviz_core.neighbors import Neighbors
from bertviz_core.neighbors.search import SCORE_NAMES
from bertviz_core.ui.html import finding, joined, note
from bertviz_core.ui.nearest_neighbors.other_tokens import find_scores
from bertviz_core.ui.show import chart, code, table
from bertviz_core.views.percentiles import column


def all_scores(bert: Bert, answered: Mapping[str, Neighbors]) -> None:
    """Draw where the answers stand among the scores of all rows of the table.

    Args:
        bert: The model in use.
        answered: The answers to each query, at least one answer each.
    """
    if not answered:
        note("There is no answer whose score could be drawn.")
        return
    metric = next(iter(answered.values())).metric
    away = {query: _deviations(found) for query, found in answered.items()}
    query, farthest = max(away.items(), key=lambda item: item[1])
    finding(
        "The best score of <b>{query}</b> is <b>{away}</b> standard deviations from the mean of "
        "all {rows} rows (<b>{mean}</b>).",
        method="nearest-rows",
        query=query,
        away=f"{farthest:.1f}",
        rows=f"{bert.vocab_size:,}",
        mean=f"{answered[query].all_scores.mean(dtype=np.float64):.3f}",
    )
    chart(
        score_distributions(
            {query: (found.all_scores, found.scores) for query, found in answered.items()},
            score_name=SCORE_NAMES[metric],
        ),
        alt=f"Distributions of {bert.vocab_size:,} scores each, with the nearest marked: "
        + "; ".join(
            f"{query}, mean {found.all_scores.mean():.3f}, nearest {found.scores[0]:.3f}"
            for query, found in answered.items()
        )
        + ".",
        name="distribution",
    )
    table(
        {
            "query": list(answered),
            "nearest": [found.tokens[0] for found in answered.values()],
            SCORE_NAMES[metric]: np.array([found.scores[0] for found in answered.values()]),
            "mean of all rows": np.array([f.all_scores.mean() for f in answered.values()]),
            "standard deviations": np.array(list(away.values())),
        },
        name="distribution",
    )


def _deviations(neighbors: Neighbors) -> float:
    scores = neighbors.all_scores.astype(np.float64)
    spread = float(scores.std())
    return abs(float(neighbors.scores[0]) - float(scores.mean())) / spread if spread else 0.0


def percentile_scale(bert: Bert, answered: Mapping[str, Neighbors]) -> None:
    """Draw the scores of other tokens' nearest neighbours, with each query's best marked.

    Args:
        bert: The model in use.
        answered: The answers to each query, at least one answer each.
    """
    scores = find_scores(bert)
    if scores is None:
        return  # `other_tokens.follow` says so
    compared = [
        (query, found, best)
        for query, found in answered.items()
        if scores.compares(found)
        for best in np.flatnonzero(~found.is_own)[:1]
    ]
    if len(compared) < sum(not found.is_own.all() for found in answered.values()):
        note(
            "Sums, and words of several pieces, are compared by cosine only: their vectors are "
            "longer or shorter than a row of the table, and the other two measures depend on that."
        )
    if not compared:
        note("There is no answer that could be compared.")
        return
    _, first, _ = compared[0]
    score_name = SCORE_NAMES[first.metric]
    others = scores.of_others(first)
    if not others.size:
        note("The table has no other token to compare with.")
        return
    percentiles = [scores.percentiles(found)[best] for _, found, best in compared]
    named = [f"{query}: {found.tokens[best]}" for query, found, best in compared]
    finding(
        "Half of {drawn} other tokens have a nearest neighbour with a {score_name} of <b>{median}"
        "</b> or {less}. Marked: {marked}.",
        method="nearest-neighbours-of-other-tokens",
        drawn=f"{others.size:,}",
        score_name=score_name,
        median=f"{np.median(others):.3f}",
        less="more" if first.metric == "euclidean" else "less",
        marked=joined(named),
    )
    chart(
        score_distributions(
            {
                name: (others, found.scores[best : best + 1])
                for name, (_, found, best) in zip(named, compared, strict=True)
            },
            score_name=score_name,
            alike=True,
        ),
        alt=f"Distribution of the {score_name} of {others.size:,} other tokens with their nearest "
        f"neighbour, half of them below {np.median(others):.3f}; marked are "
        + ", ".join(
            f"{name} {found.scores[best]:.3f}"
            for name, (_, found, best) in zip(named, compared, strict=True)
        )
        + ".",
        name="percentile-scale",
    )
    table(
        {
            "query and its nearest": named,
            score_name: np.array([found.scores[best] for _, found, best in compared]),
            "percentile": column(np.array(percentiles)),
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
