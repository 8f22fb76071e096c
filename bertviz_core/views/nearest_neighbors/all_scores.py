"""Where the answers are among the scores of all rows of the table."""

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.figures.neighbors import score_distributions
from bertviz_core.neighbors import Neighbors
from bertviz_core.neighbors.search import SCORE_NAMES
from bertviz_core.views.declare import view
from bertviz_core.views.nearest_neighbors.search import Search
from bertviz_core.views.parts import note, picture, say, table
from bertviz_core.views.view import View


@view("scores of all rows", page="Nearest Neighbors", rank=20)
def all_scores(bert: Bert, search: Search) -> View:
    """How far the best score of each query lies from the scores of all rows."""
    answered = search.answered(bert)
    if not answered:
        return View(note("There is no answer whose score could be drawn."))
    score_name = SCORE_NAMES[search.metric]
    away = {query: _deviations(found) for query, found in answered.items()}
    query, farthest = max(away.items(), key=lambda item: item[1])
    means = [found.all_scores.mean(dtype=np.float64) for found in answered.values()]
    best = [found.scores[0] for found in answered.values()]
    return View(
        say(
            "The best score of <b>{query}</b> is <b>{away}</b> standard deviations from the mean "
            "of all {rows} rows (<b>{mean}</b>).",
            method="nearest-rows",
            query=query,
            away=f"{farthest:.1f}",
            rows=f"{bert.vocab_size:,}",
            mean=f"{means[list(answered).index(query)]:.3f}",
        ),
        picture(
            score_distributions(
                {query: (found.all_scores, found.scores) for query, found in answered.items()},
                score_name=score_name,
            ),
            alt=f"Distributions of {bert.vocab_size:,} scores each, with the nearest marked: "
            + "; ".join(
                f"{query}, mean {mean:.3f}, nearest {score:.3f}"
                for query, mean, score in zip(answered, means, best, strict=True)
            )
            + ".",
            name="distribution",
        ),
        table(
            {
                "query": list(answered),
                "nearest": [found.tokens[0] for found in answered.values()],
                score_name: np.array(best),
                "mean of all rows": np.array(means),
                "standard deviations": np.array(list(away.values())),
            },
            name="distribution",
        ),
    )


def _deviations(found: Neighbors) -> float:
    scores = found.all_scores.astype(np.float64)
    spread = float(scores.std())
    return abs(float(found.scores[0]) - float(scores.mean())) / spread if spread else 0.0
