"""The headline: the neighbours of one to three queries, beside the map of all tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bertviz_core.arrays import cosine
from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column, cut_percentiles
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.bars import neighbor_bars
from bertviz_core.neighbors import (
    Neighbors,
    nearest_tokens,
    term_cosines,
)
from bertviz_core.neighbors.search import SCORE_NAMES, Metric
from bertviz_core.showable import showable
from bertviz_core.views.declare import view
from bertviz_core.views.nearest_neighbors.token_map import map_parts
from bertviz_core.views.parts import Part
from bertviz_core.views.view import (
    View,
    alert,
    beside,
    caption,
    joined,
    note,
    picture,
    program,
    say,
    table,
)

MAX_BARS = 10  # of all queries together, for one screen
SHORT_NAMES: dict[Metric, str] = {"cosine": "cosine", "dot": "dot product", "euclidean": "distance"}


@dataclass(frozen=True)
class Search:
    """One to three queries, and how to answer them; see `neighbors.nearest_tokens`."""

    queries: tuple[str, ...]
    k: int = 10
    metric: Metric = "cosine"
    keep: Keep = "all"
    unused: bool = False

    def results(self, bert: Bert) -> dict[str, Neighbors | str]:
        """The neighbours of each query as it is shown, or why there are none."""
        return {showable(one, from_right=True): self._result(bert, one) for one in self.queries}

    def _result(self, bert: Bert, query: str) -> Neighbors | str:
        try:
            return nearest_tokens(bert, query, self.k, self.metric, self.keep, unused=self.unused)
        except UserInputError as error:
            return str(error)


def with_tokens(results: Mapping[str, Neighbors | str]) -> dict[str, Neighbors]:
    """Those of `Search.results` that hold a token."""
    return {
        query: one for query, one in results.items() if isinstance(one, Neighbors) and one.tokens
    }


@view("neighbours", page="Nearest Neighbors", rank=0)
def nearest_rows(
    bert: Bert,
    search: Search,
    others: NearestScores | None = None,
) -> View:
    """The tokens nearest to each query, and where on the map of the token table they are."""
    results = search.results(bert)
    answered = with_tokens(results)
    several = answered if len(results) > 1 else None
    columns = [
        _column(bert, query, result, others, f"neighbors-{number}", several)
        for number, (query, result) in enumerate(results.items(), 1)
    ]
    findings = [part for above, _ in columns for part in above]
    rows = MAX_BARS // max(len(answered), 1)
    if len(results) > 1 and any(len(one.tokens) > rows for one in answered.values()):
        findings.append(caption("Bars: the first {rows} each. The tables have all.", rows=rows))
    folded = [below for _, below in columns]
    return View(
        beside(findings, map_parts(bert, answered)),
        beside(*folded) if len(folded) > 1 else folded[0],
    )


def _column(
    bert: Bert,
    query: str,
    neighbors: Neighbors | str,
    others: NearestScores | None,
    name: str,
    several: Mapping[str, Neighbors] | None,
) -> tuple[list[Part], list[Part]]:
    """A query's finding and bars, and what is folded; a bad query spoils only its own.

    `several` holds the neighbors of all queries, if there are more than one.
    """
    if isinstance(neighbors, str):
        return [alert(neighbors)], []
    split = _about_terms(bert, neighbors)
    if not neighbors.tokens:
        return [*split, note("No token is left. Allow more kinds of tokens under Options.")], []
    columns = partial(_columns, bert, neighbors, others)
    folded: list[Part] = [
        table(columns, name=name, fold="Table"),
        program(
            PROGRAM,
            bert,
            terms=[(term.sign, list(term.token_ids)) for term in neighbors.terms],
            k=len(neighbors.tokens),
            metric=neighbors.metric,
            keep=neighbors.keep,
            unused=neighbors.unused,
            name=name,
            arrays=lambda: {
                **columns(),
                "rows": bert.tables.word_embeddings[neighbors.ranked_ids],
                "query": neighbors.vector,
                "scores of all rows": neighbors.all_scores,
            },
        ),
    ]
    closer = _share_closer(neighbors, others) if several is None else ""
    finding = _finding(bert, query, neighbors, closer)
    return [*split, finding, _bars(bert, query, neighbors, name, several)], folded


def _about_terms(bert: Bert, neighbors: Neighbors) -> list[Part]:
    """Say which words of the query are not one row of the table, or a row that no text reaches."""
    split = [term for term in neighbors.terms if len(term.tokens) > 1]
    if not split:
        rows = neighbors.own_ids[bert.vocabulary.is_unused[neighbors.own_ids]].tolist()
        names = joined(bert.vocabulary.tokens[row] for row in rows)
        return [note("BERT never reads {names}: no text reaches it.", names=names)] if rows else []
    each = (f"{shortened(one.text, 40)} = {shortened(' '.join(one.tokens), 80)}" for one in split)
    return [
        note("Not one token: {split}. Its vector is the mean of its pieces.", split=joined(each))
    ]


def _finding(bert: Bert, query: str, neighbors: Neighbors, closer: str) -> Part:
    """The nearest token; of a sum, whether it is nearer to that than to a word of the query."""
    sentence = "Nearest to <b>{query}</b>: <b>{nearest}</b> ({measure} <b>{score}</b>)."
    method = "nearest-rows"
    values = {
        "query": shortened(query),
        "nearest": neighbors.tokens[0],
        "measure": SHORT_NAMES[neighbors.metric],
        "score": f"{neighbors.scores[0]:.3f}",
        "closer": closer,
        "closest": " ".join(neighbors.tokens[:3]),
    }
    if len(neighbors.terms) > 1:
        method = "arithmetic-with-words"
        nearest = neighbors.token_ids[:1]
        whole = float(cosine(bert.tables.word_embeddings[nearest[0]], neighbors.vector))
        terms = term_cosines(bert, neighbors, nearest)[:, 0]
        values |= {
            "whole": f"{whole:.3f}",
            "nearest-term": neighbors.terms[int(terms.argmax())].text,
            "term-cosine": f"{terms.max():.3f}",
        }
        if whole > terms.max():
            sentence += (
                " {nearest} is nearer to the result (cosine {whole}) than to any of its words "
                "(<b>{nearest-term}</b> <b>{term-cosine}</b>)."
            )
        else:
            sentence += (
                " {nearest} is nearer to <b>{nearest-term}</b> alone (cosine <b>{term-cosine}</b>) "
                "than to the result ({whole})."
            )
    elif closer:
        method = "nearest-neighbours-of-other-tokens"
        sentence += " {closer} of other tokens have a closer nearest neighbor."
    return say(sentence, method=method, **values)


def _share_closer(neighbors: Neighbors, others: NearestScores | None) -> str:
    """How many other tokens have a closer nearest neighbor: "57%", or "" where nothing compares."""
    if others is None or len(neighbors.terms) > 1:
        return ""
    percentile = others.percentiles(neighbors)[0]
    return "" if np.isnan(percentile) else f"{100 - float(cut_percentiles(percentile)):g}%"


def _bars(
    bert: Bert,
    query: str,
    neighbors: Neighbors,
    name: str,
    several: Mapping[str, Neighbors] | None,
) -> Part:
    """Bars of a query's neighbors; of the first ones where several queries are below each other."""
    score_name = SCORE_NAMES[neighbors.metric]
    left_out = neighbors.ranked_own
    rows = np.arange(len(left_out))
    if several is not None or left_out.sum() > len(neighbors.tokens):  # of a text of many pieces
        rows = np.flatnonzero(~left_out)
    span = None
    if several is not None:
        rows = rows[: MAX_BARS // len(several)]
        scores = np.concatenate([one.scores for one in several.values()])
        # One scale for all, or lengths of bars could not be compared.
        span = float(scores.min()), float(scores.max())
    tokens = [bert.vocabulary.tokens[i] for i in neighbors.ranked_ids[rows]]
    grey = [token for token, is_grey in zip(tokens, left_out[rows], strict=True) if is_grey]
    return picture(
        neighbor_bars(
            tokens,
            neighbors.ranked_scores[rows],
            score_name=score_name,
            left_out=left_out[rows],
            span=span,
        ),
        alt=f"Bars of the tokens nearest to {query}: {', '.join(neighbors.tokens[:3])} first, "
        f"{score_name} {neighbors.scores[0]:.3f}."
        + (f" In grey, left out as part of the query: {', '.join(grey)}." if grey else ""),
        name=name,
    )


def _columns(bert: Bert, neighbors: Neighbors, others: NearestScores | None) -> dict[str, Any]:
    ids = neighbors.ranked_ids
    columns: dict[str, Any] = {
        "rank": np.arange(1, len(ids) + 1),
        "token": [bert.vocabulary.tokens[i] for i in ids],
        "token id": ids,
        SCORE_NAMES[neighbors.metric]: neighbors.ranked_scores,
    }
    if neighbors.ranked_own.any():
        columns["part of the query"] = ["left out" if own else "" for own in neighbors.ranked_own]
    if others is not None and others.compares(neighbors):
        percentiles = np.full(len(ids), np.nan)  # those of tokens that are left out
        percentiles[~neighbors.ranked_own] = others.percentiles(neighbors)
        columns["percentile"] = column(percentiles)
    if len(neighbors.terms) > 1:
        for term, cosines in zip(neighbors.terms, term_cosines(bert, neighbors, ids), strict=True):
            columns[f"cosine with {term.text}"] = cosines
    return columns


PROGRAM = '''
"""The rows of the token table nearest to a sum of words."""

terms = ...  # sign, token ids of a word or its pieces
k = ...
metric = ...  # "cosine", "dot" or "euclidean"
keep = ...  # "all", "words" or "subwords"
unused = ...  # whether rows that no text reaches may be answers
allowed, reached = ...
tokenizer, model = ...
table = model.embeddings.word_embeddings.weight.detach().double().numpy()
vectors = [table[ids].mean(axis=0) for _, ids in terms]
query = sum(sign * vector for (sign, _), vector in zip(terms, vectors, strict=True))
if metric == "cosine":
    scores = cosine_similarity([query], table)[0]
elif metric == "dot":
    scores = table @ query
else:
    scores = euclidean_distances([query], table)[0]  # low is near
order = (scores if metric == "euclidean" else -scores).argsort(kind="stable")

tokens = tokenizer.convert_ids_to_tokens(range(len(table)))
rows = range(len(table)) if unused else reached(tokenizer)
own = {i for _, ids in terms for i in ids}
found = [i for i in order if i in rows and allowed(tokens[i], keep, tokenizer)]
answers = [i for i in found if i not in own][:k]
for rank, i in enumerate(found[: found.index(answers[-1]) + 1], start=1):
    print(rank, tokens[i], f"{scores[i]:.4f}", "" if i in answers else "left out")

best = next(i for i in found if i not in own)  # and each term by itself
for (sign, ids), vector in zip(terms, vectors, strict=True):
    cosine = cosine_similarity([vector], [table[best]])[0, 0]
    print("+" if sign > 0 else "-", *(tokens[i] for i in ids), tokens[best], f"{cosine:.4f}")
'''
