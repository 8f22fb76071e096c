"""The neighbours of one to three queries: finding, picture, table and code of each."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, NamedTuple

import numpy as np
import streamlit as st

from bertviz_core.arrays import Array, Exact, cosine
from bertviz_core.bert import Bert
from bertviz_core.calibration.digits import percent
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.neighbors import neighbor_bars
from bertviz_core.neighbors import NearestScores, Neighbors, nearest_tokens
from bertviz_core.neighbors.search import SCORE_NAMES, Metric
from bertviz_core.ui import sections
from bertviz_core.ui.html import alert, finding, joined, note
from bertviz_core.ui.nearest_neighbors.arithmetic import term_columns, what_the_sum_did
from bertviz_core.ui.nearest_neighbors.other_tokens import closer_than, find_scores, follow
from bertviz_core.ui.nearest_neighbors.scores import all_scores, percentile_scale
from bertviz_core.ui.nearest_neighbors.token_map import map_inputs, map_of_tokens
from bertviz_core.ui.results import models
from bertviz_core.ui.show import chart, code, folded_table
from bertviz_core.views.percentiles import column

SHORT_NAMES: dict[Metric, str] = {"cosine": "cosine", "dot": "dot product", "euclidean": "distance"}


class Asked(NamedTuple):
    """How to search; see `neighbors.nearest_tokens`."""

    k: int
    metric: Metric
    keep: Keep
    unused: bool
    count_own: bool


def side_by_side(bert: Bert, queries: Sequence[str], asked: Asked) -> None:
    """Show the neighbours of each query in a column of its own; a bad query spoils only its own.

    Args:
        bert: The model in use.
        queries: One to three, none of them blank.
        asked: How to search.
    """
    others = find_scores(bert)
    results = [_searched(bert, query, asked) for query in queries]
    scores = [r.ranked_scores for r in results if isinstance(r, Neighbors) and r.tokens]
    # One scale for all, or lengths of bars could not be compared.
    ends = np.concatenate(scores) if len(scores) > 1 else None
    span = None if ends is None else (float(ends.min()), float(ends.max()))
    several = len(queries) > 1
    columns: Sequence[AbstractContextManager[object]] = (
        st.columns(len(queries), gap="medium") if several else [nullcontext()]
    )
    for number, (half, query, found) in enumerate(zip(columns, queries, results, strict=True), 1):
        with half:
            if isinstance(found, str):
                alert(found)
                continue
            _say_split_terms(found)
            if not found.tokens:
                note("No token is left to choose from; allow more kinds of tokens.")
                continue
            percentiles = _percentiles(found, others)
            _finding(bert, query, found, percentiles, others)
            _bars(bert, query, found, percentiles, number, span)
            _table_and_code(bert, found, percentiles, number)
    answered = {
        query: found
        for query, found in zip(queries, results, strict=True)
        if isinstance(found, Neighbors) and found.tokens
    }
    sections.below(
        {
            sections.TOKEN_MAP: lambda: map_of_tokens(bert, map_inputs(bert, answered), answered),
            sections.ALL_SCORES: lambda: all_scores(bert, answered),
            sections.PERCENTILE_SCALE: lambda: percentile_scale(bert, answered),
        },
        key="wider",
    )
    follow(bert)  # last: when it goes, nothing moves


def _searched(bert: Bert, query: str, asked: Asked) -> Neighbors | str:
    """The neighbours, or why there are none."""
    k, metric, keep, unused, count_own = asked
    try:
        return nearest_tokens(bert, query, k, metric, keep, unused=unused, count_own=count_own)
    except UserInputError as error:
        return str(error)


def _say_split_terms(neighbors: Neighbors) -> None:
    """Say which words of the query are not one row of the table."""
    split = [term for term in neighbors.terms if len(term.tokens) > 1]
    if split:
        holds_signs = any(sign in term.text for term in split for sign in "+-−")
        note(
            "Not one token: {split}. Its vector is the mean of its pieces."
            + " For a sum, put spaces around {signs}." * holds_signs,
            split=joined(
                f"{shortened(term.text, 40)} = {shortened(' '.join(term.tokens), 80)}"
                for term in split
            ),
            signs="+ and -",
        )


def _finding(
    bert: Bert,
    query: str,
    neighbors: Neighbors,
    percentiles: Exact | None,
    others: NearestScores | None,
) -> None:
    template = "Nearest to <b>{query}</b>: <b>{nearest}</b> ({measure} <b>{score}</b>)"
    values: dict[str, str] = {
        "query": shortened(query),
        "nearest": neighbors.tokens[0],
        "measure": SHORT_NAMES[neighbors.metric],
        "score": f"{neighbors.scores[0]:.3f}",
    }
    arithmetic = ""
    if neighbors.is_own[0]:
        template += ", which is part of the query."
    elif len(neighbors.terms) > 1:
        arithmetic, of_terms = what_the_sum_did(bert, neighbors)
        template, values = template + arithmetic, values | of_terms
    else:
        template += "{closer}."
        values["closer"] = closer_than(others, neighbors, percentiles)
    finding(template, method="arithmetic-with-words" if arithmetic else "nearest-rows", **values)


def _percentiles(neighbors: Neighbors, others: NearestScores | None) -> Exact | None:
    """One for each of `ranked_ids`, NaN for the query's own; None where nothing compares."""
    if others is None or not others.compares(neighbors):
        return None
    percentiles = np.full(len(neighbors.ranked_ids), np.nan)
    percentiles[np.isin(neighbors.ranked_ids, neighbors.token_ids)] = others.percentiles(neighbors)
    return percentiles


def _bars(
    bert: Bert,
    query: str,
    neighbors: Neighbors,
    percentiles: Exact | None,
    number: int,
    span: tuple[float, float] | None,
) -> None:
    scores, score_name = neighbors.scores, SCORE_NAMES[neighbors.metric]
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
            span=span,
        ),
        alt=f"Bars of the {len(scores)} tokens nearest to {query}: "
        f"{', '.join(neighbors.tokens[:3])} first, {score_name} {scores[0]:.3f} to "
        f"{scores[-1]:.3f}.{grey}",
        name=f"neighbors-{number}",
    )


def _table_and_code(
    bert: Bert, neighbors: Neighbors, percentiles: Exact | None, number: int
) -> None:
    score_name = SCORE_NAMES[neighbors.metric]
    folded_table(
        "Table",
        lambda: _columns(bert, neighbors, percentiles),
        key=f"table-{number}",
        name=f"neighbors-{number}",
        files={
            f"All {bert.vocab_size:,} scores": (
                f"all-scores-{number}",
                lambda: {"token": bert.vocabulary.tokens, score_name: neighbors.all_scores},
            )
        },
    )
    terms = [(term.sign, list(term.token_ids)) for term in neighbors.terms]
    code(
        "neighbors/neighbors",
        bert,
        terms=terms,
        k=len(neighbors.tokens),
        metric=neighbors.metric,
        keep=neighbors.keep,
        unused=neighbors.unused,
        count_own=bool(neighbors.is_own.any()),
        name=f"neighbors-{number}",
        arrays=lambda: {
            **_columns(bert, neighbors, percentiles),
            "rows": bert.tables.word_embeddings[neighbors.ranked_ids],
            "query": neighbors.vector,
            "scores of all rows": neighbors.all_scores,
        },
    )


def _columns(bert: Bert, neighbors: Neighbors, percentiles: Exact | None) -> dict[str, Any]:
    ids, own = neighbors.ranked_ids, neighbors.ranked_own
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(ids) + 1),
        "token": [bert.vocabulary.tokens[i] for i in ids],
        "token id": ids,
        SCORE_NAMES[neighbors.metric]: neighbors.ranked_scores,
    }
    if own.any():
        said = "included" if neighbors.is_own.any() else "left out"
        columns["part of the query"] = [said if its else "" for its in own]
    if percentiles is not None:
        columns["percentile"] = column(percentiles)
    if neighbors.metric == "cosine":
        columns["mean-centred"] = centred_scores(bert, neighbors)
    return columns | term_columns(bert, neighbors)


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
