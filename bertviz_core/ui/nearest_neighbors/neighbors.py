"""The neighbours of one to three queries: finding, pictures, table and code of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array, Exact, cosine
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.figures.neighbors import neighbor_bars, score_distribution
from bertviz_core.neighbors import NearestScores, Neighbors, nearest_tokens
from bertviz_core.neighbors.search import SCORE_NAMES, Metric
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.html import finding, joined, note, title
from bertviz_core.ui.nearest_neighbors.arithmetic import term_columns, what_the_sum_did
from bertviz_core.ui.nearest_neighbors.other_tokens import (
    closer_than,
    find_scores,
    follow,
    on_scale,
)
from bertviz_core.ui.percentiles import column, percent
from bertviz_core.ui.results import models
from bertviz_core.ui.show import chart, code, csv_download, table


def side_by_side(
    bert: Bert,
    queries: Sequence[str],
    k: int,
    metric: Metric,
    keep: Keep,
    *,
    unused: bool,
    count_own: bool,
) -> None:
    """Show the neighbours of each query in a column of its own; a bad query spoils only its own."""
    answered: dict[str, Neighbors] = {}
    others = find_scores(bert)
    columns = st.columns(len(queries), gap="medium") if len(queries) > 1 else [st.container()]
    for number, (half, query) in enumerate(zip(columns, queries, strict=True), start=1):
        with half, errors_shown(stop=False):
            neighbors = nearest_tokens(
                bert, query, k, metric, keep, unused=unused, count_own=count_own
            )
            if len(queries) > 1:
                title(query.strip())
            _say_split_terms(neighbors)
            if not neighbors.tokens:
                note("No token is left to choose from; allow more kinds of tokens.")
                continue
            if not neighbors.is_own.all():
                answered[query.strip()] = neighbors
            percentiles = _percentiles(neighbors, others)
            _finding(bert, neighbors, others)
            _pictures(bert, query, neighbors, percentiles, number)
            _table_and_code(bert, neighbors, percentiles, number)
    if answered:
        on_scale(bert, answered)
    follow(bert)


def _say_split_terms(neighbors: Neighbors) -> None:
    """Say which words of the query are not one row of the table."""
    split = [term for term in neighbors.terms if len(term.tokens) > 1]
    if split:
        note(
            "Not one token: {split}. Its vector is the mean of its pieces.",
            split=joined(f"{term.text} = {' '.join(term.tokens)}" for term in split),
        )


def _finding(bert: Bert, neighbors: Neighbors, others: NearestScores | None) -> None:
    scores, best = neighbors.all_scores.astype(np.float64), float(neighbors.scores[0])
    spread = float(scores.std())
    away = abs(best - float(scores.mean())) / spread if spread else 0.0
    template = (
        "Nearest: <b>{nearest}</b>, {score_name} <b>{score}</b>{closer}; {away} standard "
        "deviations from the mean score of all rows, {mean}."
    )
    if neighbors.is_own[0]:
        template += " It is part of the query, which is counted in."
    elif neighbors.ranked_own[0] and len(neighbors.own_ids) > 1:
        template += (
            " Nearer still is <b>{left-out}</b>, {left-out-score}: part of the query, and "
            "therefore left out."
        )
    arithmetic, of_terms = what_the_sum_did(bert, neighbors)
    values = of_terms | {
        "nearest": neighbors.tokens[0],
        "score_name": SCORE_NAMES[neighbors.metric],
        "score": f"{best:.3f}",
        "closer": closer_than(others, neighbors),
        "away": f"{away:.1f}",
        "mean": f"{scores.mean():.3f}",
        "left-out": bert.vocabulary.tokens[neighbors.ranked_ids[0]],
        "left-out-score": f"{neighbors.ranked_scores[0]:.3f}",
    }
    method = "arithmetic-with-words" if arithmetic else "nearest-rows"
    finding(template + arithmetic, method=method, **values)


def _percentiles(neighbors: Neighbors, others: NearestScores | None) -> Exact | None:
    """One for each of `ranked_ids`, NaN for the query's own; None where nothing compares."""
    if others is None or not others.compares(neighbors):
        return None
    percentiles = np.full(len(neighbors.ranked_ids), np.nan)
    percentiles[np.isin(neighbors.ranked_ids, neighbors.token_ids)] = others.percentiles(neighbors)
    return percentiles


def _pictures(
    bert: Bert, query: str, neighbors: Neighbors, percentiles: Exact | None, number: int
) -> None:
    scores, every = neighbors.scores, neighbors.all_scores
    score_name = SCORE_NAMES[neighbors.metric]
    tokens = [bert.vocabulary.tokens[i] for i in neighbors.ranked_ids]
    own = [token for token, its in zip(tokens, neighbors.ranked_own, strict=True) if its]
    details = [f"rank {rank}" for rank in range(1, len(tokens) + 1)]
    if percentiles is not None:
        details = [
            detail if np.isnan(percentile) else f"{detail}, percentile {percent(percentile)}"
            for detail, percentile in zip(details, percentiles, strict=True)
        ]
    left_out = np.isin(neighbors.ranked_ids, neighbors.token_ids, invert=True)
    grey = f" In grey, left out as part of the query: {', '.join(own)}." if left_out.any() else ""
    chart(
        neighbor_bars(
            tokens,
            neighbors.ranked_scores,
            score_name=score_name,
            left_out=left_out,
            details=details,
        ),
        alt=f"Bars of the {len(scores)} tokens nearest to {query}: "
        f"{', '.join(neighbors.tokens[:3])} first, {score_name} {scores[0]:.3f} to "
        f"{scores[-1]:.3f}.{grey}",
        name=f"neighbors-{number}",
    )
    st.caption(f"Where these {len(scores)} stand among all {bert.vocab_size:,} rows of the table")
    chart(
        score_distribution(every, scores, score_name=score_name),
        alt=f"Histogram of {every.size:,} scores around {every.mean():.3f}; the nearest lie at the "
        f"end, from {scores[-1]:.3f} to {scores[0]:.3f}.",
        name=f"distribution-{number}",
    )


def _table_and_code(
    bert: Bert, neighbors: Neighbors, percentiles: Exact | None, number: int
) -> None:
    metric, ids, own = neighbors.metric, neighbors.ranked_ids, neighbors.ranked_own
    score_name = SCORE_NAMES[metric]
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(ids) + 1),
        "token": [bert.vocabulary.tokens[i] for i in ids],
        "token id": ids,
        score_name: neighbors.ranked_scores,
    }
    if own.any():
        said = "counted in" if neighbors.is_own.any() else "left out"
        columns["part of the query"] = [said if its else "" for its in own]
    if percentiles is not None:
        columns["percentile"] = column(percentiles)
    if metric == "cosine":
        columns["mean-centred"] = centred_scores(bert, neighbors)
    columns |= term_columns(bert, neighbors)
    table(columns, name=f"neighbors-{number}")
    csv_download(
        f"All {bert.vocab_size:,} scores as CSV",
        lambda: {"token": bert.vocabulary.tokens, score_name: neighbors.all_scores},
        name=f"all-scores-{number}",
    )
    terms = [(term.sign, list(term.token_ids)) for term in neighbors.terms]
    code(
        "neighbors/neighbors",
        bert,
        terms=terms,
        k=len(neighbors.tokens),
        metric=metric,
        keep=neighbors.keep,
        unused=neighbors.unused,
        count_own=bool(neighbors.is_own.any()),
        name=f"neighbors-{number}",
    )


def centred_scores(bert: Bert, neighbors: Neighbors) -> Exact:
    """Cosines of a query with the rows down to its last answer, without the table's mean.

    Args:
        bert: The model in use.
        neighbors: In a sum such as king - man + woman each term loses the mean.

    Returns:
        float64 (n,), one cosine for each of `neighbors.ranked_ids`.
    """
    mean = _mean_row(bert.name).astype(np.float64)
    signs = sum(term.sign for term in neighbors.terms)
    rows = bert.tables.word_embeddings[neighbors.ranked_ids] - mean
    return cosine(rows, neighbors.vector - signs * mean)


@st.cache_resource(max_entries=2, show_spinner=False)
def _mean_row(name: str) -> Array:
    return models.bert(name).mean_token_row()
