"""The headline: the neighbours of one to three queries, beside the map of all tokens."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Exact, cosine
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column, compared, percent
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.errors import shortened
from bertviz_core.figures.neighbors import neighbor_bars
from bertviz_core.neighbors import Neighbors, TokenMap, query_cosines, term_cosines
from bertviz_core.neighbors.search import SCORE_NAMES, Metric
from bertviz_core.shared import once
from bertviz_core.views.declare import view
from bertviz_core.views.nearest_neighbors.search import Search
from bertviz_core.views.nearest_neighbors.token_map import KIND, TSNE, Corners, Map
from bertviz_core.views.parts import alert, beside, note, picture, program, say, table
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part, View

SHORT_NAMES: dict[Metric, str] = {"cosine": "cosine", "dot": "dot product", "euclidean": "distance"}


@view("neighbours", page="Nearest Neighbors", rank=0)
def neighbors(
    bert: Bert,
    search: Search,
    others: NearestScores | None = None,
    layout: TokenMap | None = None,
    boxes: Corners = (),
    lassos: Corners = (),
    mapby: str = TSNE,
    mapcolor: str = KIND,
) -> View:
    """The tokens nearest to each query, and where on the map of the token table they are."""
    results = search.results(bert)
    answered = {
        query: one for query, one in results.items() if not isinstance(one, str) and one.tokens
    }
    scores = [one.ranked_scores for one in answered.values()]
    # One scale for all, or lengths of bars could not be compared.
    ends = np.concatenate(scores) if len(scores) > 1 else np.empty(0)
    span = (float(ends.min()), float(ends.max())) if ends.size else None
    columns = [
        _column(bert, query, found, others, number, span)
        for number, (query, found) in enumerate(results.items(), 1)
    ]
    shown = Map.of(bert, layout, mapby, mapcolor)
    on_map: list[Part] = [*shown.parts(answered), *(shown.near(*one) for one in answered.items())]
    region = shown.region(boxes, lassos)
    if len(columns) > 1:
        bars = [[*said, *drawn, *rest] for said, drawn, rest in columns]
        wide = [beside(*bars), *on_map] if len(bars) > 2 else [beside(*bars, on_map)]
        return View(wide, region)
    said, drawn, rest = columns[0]
    return View(said, beside(drawn, on_map), region, rest)


def _column(
    bert: Bert,
    query: str,
    found: Neighbors | str,
    others: NearestScores | None,
    number: int,
    span: tuple[float, float] | None,
) -> tuple[list[Part], list[Part], list[Part]]:
    """What is said of a query, its bars, and what is folded; a bad query spoils only its own."""
    if isinstance(found, str):
        return [alert(found)], [], []
    split = _split_terms(found)
    if not found.tokens:
        none = note("No token is left to choose from; allow more kinds of tokens.")
        return [*split, none], [], []
    percentiles, name = _percentiles(found, others), f"neighbors-{number}"
    terms = [(term.sign, list(term.token_ids)) for term in found.terms]
    folded: list[Part] = [
        table(
            lambda: _columns(bert, found, percentiles),
            name=name,
            fold="Table",
            files={
                f"All {bert.vocab_size:,} scores": (
                    f"all-scores-{number}",
                    lambda: {
                        "token": bert.vocabulary.tokens,
                        SCORE_NAMES[found.metric]: found.all_scores,
                    },
                )
            },
        ),
        program(
            "neighbors/neighbors",
            bert,
            terms=terms,
            k=len(found.tokens),
            metric=found.metric,
            keep=found.keep,
            unused=found.unused,
            count_own=bool(found.is_own.any()),
            name=name,
            arrays=lambda: {
                **_columns(bert, found, percentiles),
                "rows": bert.tables.word_embeddings[found.ranked_ids],
                "query": found.vector,
                "scores of all rows": found.all_scores,
            },
        ),
    ]
    said = [*split, _finding(bert, query, found, percentiles, others)]
    return said, [_bars(bert, query, found, percentiles, name, span)], folded


def _split_terms(found: Neighbors) -> list[Part]:
    """Say which words of the query are not one row of the table."""
    split = [term for term in found.terms if len(term.tokens) > 1]
    if not split:
        return []
    holds_signs = any(sign in term.text for term in split for sign in "+-−")
    return [
        note(
            "Not one token: {split}. Its vector is the mean of its pieces."
            + " For a sum, put spaces around {signs}." * holds_signs,
            split=joined(
                f"{shortened(term.text, 40)} = {shortened(' '.join(term.tokens), 80)}"
                for term in split
            ),
            signs="+ and -",
        )
    ]


def _finding(
    bert: Bert,
    query: str,
    found: Neighbors,
    percentiles: Exact | None,
    others: NearestScores | None,
) -> Part:
    sentence = "Nearest to <b>{query}</b>: <b>{nearest}</b> ({measure} <b>{score}</b>)"
    values = {
        "query": shortened(query),
        "nearest": found.tokens[0],
        "measure": SHORT_NAMES[found.metric],
        "score": f"{found.scores[0]:.3f}",
    }
    if found.is_own[0]:
        return say(sentence + ", which is part of the query.", method="nearest-rows", **values)
    if len(found.terms) > 1:
        rest, of_terms = _what_the_sum_did(bert, found)
        return say(sentence + rest, method="arithmetic-with-words", **values, **of_terms)
    closer = _closer_than(others, found, percentiles)
    return say(sentence + "{closer}.", method="nearest-rows", closer=closer, **values)


def _closer_than(others: NearestScores | None, found: Neighbors, percentiles: Exact | None) -> str:
    """What follows the best score: ", closer than 43% of other tokens' nearest neighbours"."""
    if others is None or percentiles is None:
        return ""
    percentile = float(percentiles[found.ranked_ids == found.token_ids[0]][0])
    if np.isnan(percentile):
        return ""
    count = f"{others.of_others(found).size:,} other tokens compared"
    words = compared(
        percentile,
        "other tokens' nearest neighbours",
        f"the nearest neighbour of any of {count}",
        "closer",
        "less close",
    )
    return f", {words}"


def _what_the_sum_did(bert: Bert, found: Neighbors) -> tuple[str, dict[str, str]]:
    """Whether the best answer is nearer to the sum than to one of its terms, by cosine."""
    answer = found.token_ids[:1]
    whole = float(query_cosines(bert, found, answer)[0])
    terms = term_cosines(bert, found, answer)[:, 0]
    nearest = int(terms.argmax())
    by_cosine = found.metric == "cosine"  # otherwise the sentence has no cosine yet
    if whole > terms[nearest]:
        rest = (
            ", nearer to the sum than to any of its words ({nearest-term} {term-cosine})."
            if by_cosine
            else ". By cosine it is nearer to the sum ({whole}) than to any of its words "
            "({nearest-term} {term-cosine})."
        )
    else:
        rest = (
            ", but <b>{nearest-term}</b> alone is nearer to {answer} (<b>{term-cosine}</b>)."
            if by_cosine
            else ". By cosine <b>{nearest-term}</b> alone is nearer to {answer}: "
            "<b>{term-cosine}</b> against {whole}."
        )
    return rest, {
        "answer": found.tokens[0],
        "whole": f"{whole:.3f}",
        "nearest-term": found.terms[nearest].text,
        "term-cosine": f"{terms[nearest]:.3f}",
    }


def _percentiles(found: Neighbors, others: NearestScores | None) -> Exact | None:
    """One for each of `ranked_ids`, NaN for the query's own; None where nothing compares."""
    if others is None or not others.compares(found):
        return None
    percentiles = np.full(len(found.ranked_ids), np.nan)
    percentiles[np.isin(found.ranked_ids, found.token_ids)] = others.percentiles(found)
    return percentiles


def _bars(
    bert: Bert,
    query: str,
    found: Neighbors,
    percentiles: Exact | None,
    name: str,
    span: tuple[float, float] | None,
) -> Part:
    scores, score_name = found.scores, SCORE_NAMES[found.metric]
    tokens = [bert.vocabulary.tokens[i] for i in found.ranked_ids]
    own = [token for token, its in zip(tokens, found.ranked_own, strict=True) if its]
    left_out = np.isin(found.ranked_ids, found.token_ids, invert=True)
    grey = f" In grey, left out as part of the query: {', '.join(own)}." if left_out.any() else ""
    return picture(
        neighbor_bars(
            tokens,
            found.ranked_scores,
            score_name=score_name,
            left_out=left_out,
            details=_details(len(tokens), percentiles),
            span=span,
        ),
        alt=f"Bars of the {len(scores)} tokens nearest to {query}: {', '.join(found.tokens[:3])} "
        f"first, {score_name} {scores[0]:.3f} to {scores[-1]:.3f}.{grey}",
        name=name,
    )


def _details(count: int, percentiles: Exact | None) -> Sequence[str]:
    """What the pointer says of each bar."""
    ranks = [f"rank {rank}" for rank in range(1, count + 1)]
    if percentiles is None:
        return ranks
    return [
        rank if np.isnan(percentile) else f"{rank}, percentile {percent(percentile)}"
        for rank, percentile in zip(ranks, percentiles, strict=True)
    ]


def _columns(bert: Bert, found: Neighbors, percentiles: Exact | None) -> dict[str, Any]:
    ids, own = found.ranked_ids, found.ranked_own
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(ids) + 1),
        "token": [bert.vocabulary.tokens[i] for i in ids],
        "token id": ids,
        SCORE_NAMES[found.metric]: found.ranked_scores,
    }
    if own.any():
        kept = "included" if found.is_own.any() else "left out"
        columns["part of the query"] = [kept if its else "" for its in own]
    if percentiles is not None:
        columns["percentile"] = column(percentiles)
    if found.metric == "cosine":
        columns["mean-centred"] = centred_scores(bert, found)
    if len(found.terms) > 1:
        for term, row in zip(found.terms, term_cosines(bert, found, ids), strict=True):
            columns[f"cosine with {term.text}"] = row
    return columns


def centred_scores(bert: Bert, found: Neighbors) -> Exact:
    """Cosines of a query with the rows down to its last answer, without the table's mean.

    In a sum such as king - man + woman each term loses the mean.
    """
    mean = _mean_row(bert).astype(np.float64)
    signs = sum(term.sign for term in found.terms)
    rows = bert.tables.word_embeddings[found.ranked_ids] - mean
    return cosine(rows, found.vector - signs * mean)


@once
def _mean_row(bert: Bert) -> Array:
    return bert.mean_token_row()
