"""What the page on nearest neighbours shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.calibration import Calibration
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.figures.neighbors.bars import neighbor_bars
from bertviz_core.figures.neighbors.distribution import score_distribution
from bertviz_core.neighbors import Neighbors, nearest_tokens
from bertviz_core.neighbors.query import Term
from bertviz_core.neighbors.search import Metric
from bertviz_core.snippets.fill import filled
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.html import finding, joined, note, title
from bertviz_core.ui.nearest_neighbors import percentiles as table_ruler_views
from bertviz_core.ui.percentiles import after, column
from bertviz_core.ui.show import chart, code, csv_download, table

if TYPE_CHECKING:
    import pandas as pd

SCORE_NAMES: dict[Metric, str] = {
    "cosine": "cosine similarity",
    "dot": "dot product",
    "euclidean": "Euclidean distance",
}
METRIC_CHOICES: dict[str, Metric] = {"cosine": "cosine", "dot": "dot", "Euclidean": "euclidean"}
KEEP_CHOICES: dict[str, Keep] = {"all": "all", "words": "words", "subwords": "subwords"}


def side_by_side(
    bert: Bert, queries: Sequence[str], k: int, metric: Metric, keep: Keep, *, unused: bool
) -> None:
    """Show the neighbours of each query in a column of its own; a bad query spoils only its own."""
    shown: dict[str, Neighbors] = {}
    for number, (place, query) in enumerate(
        zip(st.columns(len(queries), gap="medium"), queries, strict=True), start=1
    ):
        with place, errors_shown(stop=False):
            found = nearest_tokens(bert, query, k, metric, keep, unused=unused)
            if len(queries) > 1:
                title(query.strip())
            _one(bert, query, found, number, keep, unused)
            if found.tokens:
                shown[f"{query.strip()}: {found.tokens[0]}"] = found
    if metric == "cosine" and shown:
        table_ruler_views.worth_of(bert, shown)


def _one(bert: Bert, query: str, found: Neighbors, number: int, keep: Keep, unused: bool) -> None:
    score_name = SCORE_NAMES[found.metric]
    _say_reading(found.terms)
    if not found.tokens:
        note("No token is left to choose from; allow more kinds of tokens.")
        return
    place = st.empty()
    with place:
        _say_finding(found, score_name, table_ruler_views.known(bert))
    best = ", ".join(found.tokens[:3])
    chart(
        neighbor_bars(found.tokens, found.scores, score_name=score_name),
        alt=f"Bars of the {len(found.tokens)} tokens nearest to {query}: {best} first, "
        f"{score_name} {found.scores[0]:.3f} to {found.scores[-1]:.3f}.",
        name=f"neighbors-{number}",
    )
    st.caption(
        f"Where these {len(found.tokens)} stand among all {bert.vocab_size:,} rows of the table"
    )
    chart(
        score_distribution(found.all_scores, found.scores, score_name=score_name),
        alt=f"Histogram of {found.all_scores.size:,} scores around "
        f"{found.all_scores.mean():.3f}; the found ones lie at the end, "
        f"from {found.scores[-1]:.3f} to {found.scores[0]:.3f}.",
        name=f"distribution-{number}",
    )
    # After the pictures: half a second for the ruler, a third of one for the import, once.
    if found.metric == "cosine" and table_ruler_views.known(bert) is None:
        with place:
            _say_finding(found, score_name, table_ruler_views.measured(bert))
    import pandas as pd

    table(
        _frame(bert, found, score_name),
        name=f"neighbors-{number}",
        height=min(38 + 35 * len(found.tokens), 400),
    )
    csv_download(
        f"All {bert.vocab_size:,} scores as CSV",
        lambda: pd.DataFrame({"token": bert.vocabulary.tokens, score_name: found.all_scores}),
        name=f"all-scores-{number}",
    )
    terms = [(term.sign, list(term.token_ids)) for term in found.terms]
    shown = len(found.tokens)
    code(
        lambda: filled(
            "neighbors/neighbors", bert, terms=terms, k=shown, metric=found.metric, keep=keep,
            unused=unused,
        ),
        name=f"neighbors-{number}",
    )


def _say_reading(terms: tuple[Term, ...]) -> None:
    """Say how the query was read where that is not plain: signs and words that split."""
    split = [term for term in terms if len(term.tokens) > 1]
    if split:
        note(
            "Not one token: {split}. Its vector is the mean of its pieces.",
            split=joined(f"{term.text} = {' '.join(term.tokens)}" for term in split),
        )


def _frame(bert: Bert, found: Neighbors, score_name: str) -> "pd.DataFrame":
    import pandas as pd

    frame = pd.DataFrame(
        {
            "rank": np.arange(1, len(found.tokens) + 1),
            "token": found.tokens,
            "token id": found.token_ids,
            score_name: found.scores,
        }
    )
    ruler = table_ruler_views.known(bert)
    if found.metric == "cosine" and ruler is not None:
        frame["percentile"] = column(ruler.percentiles(found.scores))
        centred = table_ruler_views.centred_scores(bert, ruler, found)
        frame["mean-centred"] = centred
        frame["mean-centred, percentile"] = column(ruler.percentiles(centred, centred=True))
    return frame


def _say_finding(found: Neighbors, score_name: str, ruler: Calibration | None) -> None:
    scores = found.all_scores.astype(np.float64)
    spread = float(scores.std())
    away = abs(float(found.scores[0]) - float(scores.mean())) / spread if spread else 0.0
    finding(
        "Nearest: <b>{first}</b>, {score_name} <b>{score}</b>{worth}, {away} standard deviations "
        "from the average row of the table ({mean}).",
        first=found.tokens[0],
        score_name=score_name,
        score=f"{found.scores[0]:.3f}",
        worth=after(ruler, float(found.scores[0])).replace(
            "unrelated pairs", "pairs of random rows"
        )
        if found.metric == "cosine"
        else "",
        away=f"{away:.1f}",
        mean=f"{scores.mean():.3f}",
    )
