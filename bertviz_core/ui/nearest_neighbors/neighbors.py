"""The neighbours of one to three queries: finding, pictures, table and code of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.figures.neighbors import neighbor_bars, score_distribution
from bertviz_core.neighbors import Neighbors, nearest_tokens
from bertviz_core.neighbors.search import Metric
from bertviz_core.ui.calibrations import table_calibration
from bertviz_core.ui.errors import errors_shown
from bertviz_core.ui.html import finding, joined, note, title
from bertviz_core.ui.nearest_neighbors.percentiles import centred_scores, on_percentile_scale
from bertviz_core.ui.percentiles import after, columns_with_centred
from bertviz_core.ui.show import chart, code, csv_download, table

SCORE_NAMES: dict[Metric, str] = {
    "cosine": "cosine similarity",
    "dot": "dot product",
    "euclidean": "Euclidean distance",
}


def side_by_side(
    bert: Bert, queries: Sequence[str], k: int, metric: Metric, keep: Keep, *, unused: bool
) -> None:
    """Show the neighbours of each query in a column of its own; a bad query spoils only its own."""
    nearest: dict[str, Neighbors] = {}
    columns = st.columns(len(queries), gap="medium") if len(queries) > 1 else [st.container()]
    for number, (half, query) in enumerate(zip(columns, queries, strict=True), start=1):
        with half, errors_shown(stop=False):
            neighbors = nearest_tokens(bert, query, k, metric, keep, unused=unused)
            if len(queries) > 1:
                title(query.strip())
            _say_split_terms(neighbors)
            if not neighbors.tokens:
                note("No token is left to choose from; allow more kinds of tokens.")
                continue
            nearest[f"{query.strip()}: {neighbors.tokens[0]}"] = neighbors
            _finding(bert, neighbors)
            _pictures(bert, query, neighbors, number)
            _table_and_code(bert, neighbors, number, keep, unused=unused)
    if metric == "cosine" and nearest:
        on_percentile_scale(bert, nearest)


def _say_split_terms(neighbors: Neighbors) -> None:
    """Say which words of the query are not one row of the table."""
    split = [term for term in neighbors.terms if len(term.tokens) > 1]
    if split:
        note(
            "Not one token: {split}. Its vector is the mean of its pieces.",
            split=joined(f"{term.text} = {' '.join(term.tokens)}" for term in split),
        )


def _finding(bert: Bert, neighbors: Neighbors) -> None:
    scores, best = neighbors.all_scores.astype(np.float64), float(neighbors.scores[0])
    spread = float(scores.std())
    away = abs(best - float(scores.mean())) / spread if spread else 0.0
    cosine = neighbors.metric == "cosine"
    finding(
        "Nearest: <b>{nearest}</b>, {score_name} <b>{score}</b>{percentile}, {away} standard "
        "deviations from the average row of the table ({mean}).",
        nearest=neighbors.tokens[0],
        score_name=SCORE_NAMES[neighbors.metric],
        score=f"{best:.3f}",
        percentile=after(table_calibration(bert.name), best) if cosine else "",
        away=f"{away:.1f}",
        mean=f"{scores.mean():.3f}",
    )


def _pictures(bert: Bert, query: str, neighbors: Neighbors, number: int) -> None:
    tokens, scores, every = neighbors.tokens, neighbors.scores, neighbors.all_scores
    score_name = SCORE_NAMES[neighbors.metric]
    chart(
        neighbor_bars(tokens, scores, score_name=score_name),
        alt=f"Bars of the {len(tokens)} tokens nearest to {query}: {', '.join(tokens[:3])} first, "
        f"{score_name} {scores[0]:.3f} to {scores[-1]:.3f}.",
        name=f"neighbors-{number}",
    )
    st.caption(f"Where these {len(tokens)} stand among all {bert.vocab_size:,} rows of the table")
    chart(
        score_distribution(every, scores, score_name=score_name),
        alt=f"Histogram of {every.size:,} scores around {every.mean():.3f}; the nearest lie at the "
        f"end, from {scores[-1]:.3f} to {scores[0]:.3f}.",
        name=f"distribution-{number}",
    )


def _table_and_code(
    bert: Bert, neighbors: Neighbors, number: int, keep: Keep, *, unused: bool
) -> None:
    metric, shown = neighbors.metric, len(neighbors.tokens)
    score_name = SCORE_NAMES[metric]
    columns: dict[str, Any] = {
        "rank": np.arange(1, shown + 1),
        "token": neighbors.tokens,
        "token id": neighbors.token_ids,
        score_name: neighbors.scores,
    }
    if metric == "cosine":
        calibration = table_calibration(bert.name)
        centred = centred_scores(bert, calibration, neighbors)
        columns |= columns_with_centred(score_name, neighbors.scores, centred, calibration)
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
        k=shown,
        metric=metric,
        keep=keep,
        unused=unused,
        name=f"neighbors-{number}",
    )
