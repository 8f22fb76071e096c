"""The headline: the neighbours of one to three queries, beside the map of all tokens."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bertviz_core.arrays import Exact
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column, rounded
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.errors import shortened
from bertviz_core.figures.neighbors import neighbor_bars
from bertviz_core.neighbors import Neighbors, TokenMap, query_cosines, term_cosines
from bertviz_core.neighbors.search import SCORE_NAMES, Metric
from bertviz_core.views.declare import view
from bertviz_core.views.nearest_neighbors.search import Search
from bertviz_core.views.nearest_neighbors.token_map import TSNE, Corners, Map
from bertviz_core.views.parts import alert, beside, caption, note, picture, program, say, table
from bertviz_core.views.sentences import joined
from bertviz_core.views.view import Part, View

ROWS = 10  # bars of all queries together, for one screen
WIDTH = 80  # pixels left of their bars
SHORT = 2  # letters of a word's pieces on average: made-up words have such, and few English ones
SHORT_NAMES: dict[Metric, str] = {"cosine": "cosine", "dot": "dot product", "euclidean": "distance"}


@view("neighbours", page="Nearest Neighbors", rank=0)
def neighbors(
    bert: Bert,
    search: Search,
    others: NearestScores | None = None,
    layout: TokenMap | None = None,
    boxes: Corners = (),
    mapby: str = TSNE,
) -> View:
    """The tokens nearest to each query, and where on the map of the token table they are."""
    results = search.results(bert)
    answered = {
        query: one for query, one in results.items() if not isinstance(one, str) and one.tokens
    }
    columns = [
        _column(bert, query, found, others, number, None if len(results) == 1 else answered)
        for number, (query, found) in enumerate(results.items(), 1)
    ]
    shown = Map.of(bert, layout, mapby)
    rows = ROWS // max(len(answered), 1)
    notes: list[Part] = []
    if len(results) > 1:
        shares = {query: _closer(one, others) for query, one in answered.items()}
        closer = joined(f"{shortened(query)} {share}" for query, share in shares.items() if share)
        if closer:
            text = "Other tokens with a closer nearest neighbor: {closer-each}."
            notes.append(caption(text, **{"closer-each": closer}))
        if any(len(one.tokens) > rows for one in answered.values()):
            notes.append(caption("Bars: the first {rows} each. The tables have all.", rows=rows))
    return View(
        beside(
            [*(part for said, _ in columns for part in said), *notes],
            [*shown.parts(answered), *(shown.near(*one) for one in answered.items())],
        ),
        shown.region(boxes),
        beside(*(rest for _, rest in columns)) if len(columns) > 1 else columns[0][1],
    )


def _column(
    bert: Bert,
    query: str,
    found: Neighbors | str,
    others: NearestScores | None,
    number: int,
    every: Mapping[str, Neighbors] | None,
) -> tuple[list[Part], list[Part]]:
    """A query's finding and bars, and what is folded; a bad query spoils only its own."""
    if isinstance(found, str):
        return [alert(found)], []
    split = _split_terms(found)
    if not found.tokens:
        return [*split, note("No token is left. Allow more kinds of tokens under Options.")], []
    percentiles, name = _percentiles(found, others), f"neighbors-{number}"
    terms = [(term.sign, list(term.token_ids)) for term in found.terms]
    folded: list[Part] = [
        table(
            lambda: _columns(bert, found, percentiles),
            name=name,
            fold="Table",
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
    said = [*split, _finding(bert, query, found, _closer(found, others) if every is None else "")]
    return [*said, _bars(bert, query, found, name, every)], folded


def _split_terms(found: Neighbors) -> list[Part]:
    """Say which words of the query are not one row of the table."""
    split = [term for term in found.terms if len(term.tokens) > 1]
    if not split:
        return []
    holds_signs = any(sign in term.text for term in split for sign in "+-−")
    strange = next((one.text for one in split if len(one.text) <= SHORT * len(one.tokens)), "")
    return [
        note(
            "Not one token: {split}. Its vector is the mean of its pieces."
            + " Pieces so short are parts of any word: “{strange}” is perhaps not an English word, "
            "and then its neighbors mean nothing."
            * bool(strange)
            + " For a sum, put spaces around {signs}." * holds_signs,
            split=joined(
                f"{shortened(term.text, 40)} = {shortened(' '.join(term.tokens), 80)}"
                for term in split
            ),
            signs="+ and -",
            strange=shortened(strange, 40),
        )
    ]


def _finding(bert: Bert, query: str, found: Neighbors, closer: str) -> Part:
    sentence = "Nearest to <b>{query}</b>: <b>{nearest}</b> ({measure} <b>{score}</b>)."
    values = {
        "query": shortened(query),
        "nearest": found.tokens[0],
        "measure": SHORT_NAMES[found.metric],
        "score": f"{found.scores[0]:.3f}",
    }
    if found.is_own[0]:
        return say(sentence + " It is part of the query.", method="nearest-rows", **values)
    if len(found.terms) > 1:
        rest, of_terms = _what_the_sum_did(bert, found)
        return say(sentence + rest, method="arithmetic-with-words", **values, **of_terms)
    closer = f" {closer} of other tokens have a closer nearest neighbor." if closer else ""
    method = "nearest-neighbours-of-other-tokens" if closer else "nearest-rows"
    return say(sentence + "{closer}", method=method, closer=closer, **values)


def _closer(found: Neighbors, others: NearestScores | None) -> str:
    """How many other tokens have a closer nearest neighbor: "57%", or "" where nothing compares."""
    percentiles = _percentiles(found, others)
    if percentiles is None or found.is_own[0] or len(found.terms) > 1:
        return ""
    percentile = percentiles[found.ranked_ids == found.token_ids[0]][0]
    return f"{100 - float(rounded(percentile)):g}%"


def _what_the_sum_did(bert: Bert, found: Neighbors) -> tuple[str, dict[str, str]]:
    """Whether the best answer is nearer to the result than to one of its terms, by cosine."""
    added = sum(term.sign > 0 for term in found.terms)
    result = {len(found.terms): "sum", 1: "difference"}.get(added, "result")
    answer = found.token_ids[:1]
    whole = float(query_cosines(bert, found, answer)[0])
    terms = term_cosines(bert, found, answer)[:, 0]
    nearest = int(terms.argmax())
    if whole > terms[nearest]:
        rest = "the {result} (cosine {whole}) than to any of its words (<b>{nearest-term}</b>"
        rest += " <b>{term-cosine}</b>)."
    else:
        rest = (
            "<b>{nearest-term}</b> alone (cosine <b>{term-cosine}</b>) than to the {result} "
            "({whole})."
        )
    return " {answer} is nearer to " + rest, {
        "answer": found.tokens[0],
        "result": result,
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
    name: str,
    every: Mapping[str, Neighbors] | None,
) -> Part:
    """Bars of a query's neighbors; of the first ones where several queries are below each other."""
    score_name, span = SCORE_NAMES[found.metric], None
    left_out = np.isin(found.ranked_ids, found.token_ids, invert=True)
    shown = np.arange(len(left_out))
    if every is not None or left_out.sum() > len(found.tokens):  # of a text of many pieces
        shown = np.flatnonzero(~left_out)
    if every is not None:
        shown = shown[: ROWS // len(every)]
        scores = np.concatenate([one.scores for one in every.values()])
        # One scale for all, or lengths of bars could not be compared.
        span = float(scores.min()), float(scores.max())
    tokens = [bert.vocabulary.tokens[i] for i in found.ranked_ids[shown]]
    grey = [token for token, its in zip(tokens, left_out[shown], strict=True) if its]
    return picture(
        neighbor_bars(
            tokens,
            found.ranked_scores[shown],
            score_name=score_name,
            left_out=left_out[shown],
            span=span,
            width=WIDTH if span else 0,
        ),
        alt=f"Bars of the tokens nearest to {query}: {', '.join(found.tokens[:3])} first, "
        f"{score_name} {found.scores[0]:.3f}."
        + f" In grey, left out as part of the query: {', '.join(grey)}."
        * bool(grey),
        name=name,
    )


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
    if len(found.terms) > 1:
        for term, row in zip(found.terms, term_cosines(bert, found, ids), strict=True):
            columns[f"cosine with {term.text}"] = row
    return columns
