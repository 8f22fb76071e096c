"""Whether the scores of answers are high among those of other tokens with their nearest."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.figures.neighbors import score_distributions
from bertviz_core.neighbors.search import SCORE_NAMES
from bertviz_core.views.card import card
from bertviz_core.views.declare import view
from bertviz_core.views.nearest_neighbors.search import Search
from bertviz_core.views.parts import note, program, say
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part, View


@view("is this score high?", page="Nearest Neighbors", rank=30)
def score_scale(bert: Bert, search: Search, others: NearestScores | None) -> View:
    """The scores of 2,000 other tokens with their nearest neighbour, with each query's marked."""
    if others is None:
        return View()  # the page says so, and shows the scale once there is one
    answered = search.answered(bert)
    compared = [
        (query, found, best)
        for query, found in answered.items()
        if others.compares(found)
        for best in np.flatnonzero(~found.is_own)[:1]
    ]
    notes: list[Part] = []
    if len(compared) < sum(not found.is_own.all() for found in answered.values()):
        notes.append(
            note(
                "Sums and words of several pieces are compared by cosine only. The other measures "
                "depend on length, and these vectors are not as long as a row of the table."
            )
        )
    if not compared:
        return View(notes, note("There is no answer to compare."))
    _, first, first_best = compared[0]
    score_name, scores = SCORE_NAMES[first.metric], others.of_others(first)
    if not scores.size:
        return View(notes, note("The table has no other token to compare with."))
    percentiles = [others.percentiles(found)[best] for _, found, best in compared]
    named = {
        f"{query}: {found.tokens[best]}": found.scores[best] for query, found, best in compared
    }
    median = np.median(scores)
    return card(
        [
            *notes,
            say(
                "Half of {drawn} other tokens have a nearest neighbor with a {score_name} of "
                "<b>{median}</b> or {less}. Marked: {marked}.",
                method="nearest-neighbours-of-other-tokens",
                drawn=f"{scores.size:,}",
                score_name=score_name,
                median=f"{median:.3f}",
                less="more" if first.metric == "euclidean" else "less",
                marked=joined(named),
            ),
        ],
        name="percentile-scale",
        columns={
            "query and its nearest": list(named),
            score_name: np.array(list(named.values())),
            "percentile": column(np.array(percentiles)),
        },
        chart=score_distributions(
            {name: (scores, np.array([score])) for name, score in named.items()},
            score_name=score_name,
            alike=True,
        ),
        alt=f"Distribution of the {score_name} of {scores.size:,} other tokens with their "
        f"nearest neighbor, half of them below {median:.3f}; marked are {joined(named)}.",
        fold="",
        program=program(
            "neighbors/other_tokens",
            bert,
            own=first.own_ids.tolist(),
            score=round(float(first.scores[first_best]), 6),
            metric=first.metric,
            keep=first.keep,
            unused=first.unused,
            name="token-table-scale",
        ),
    )
