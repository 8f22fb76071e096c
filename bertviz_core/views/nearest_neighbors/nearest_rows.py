"""The headline: the neighbours of one to three queries, beside the map of all tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bertviz_core.bert import Bert
from bertviz_core.calibration.percentiles import column, cut_percentiles
from bertviz_core.calibration.token_table import NearestScores
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError, shortened
from bertviz_core.figures.bars import neighbor_bars
from bertviz_core.neighbors import (
    Neighbors,
    TokenMap,
    nearest_tokens,
    query_cosines,
    term_cosines,
)
from bertviz_core.neighbors.search import SCORE_NAMES, Metric
from bertviz_core.showable import showable
from bertviz_core.views.declare import view
from bertviz_core.views.nearest_neighbors.token_map import TSNE, Map
from bertviz_core.views.parts import (
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
from bertviz_core.views.view import Part, View

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
    own: bool = False

    def results(self, bert: Bert) -> dict[str, Neighbors | str]:
        """The neighbours of each query as it is shown, or why there are none."""
        return {showable(one, from_right=True): self._result(bert, one) for one in self.queries}

    def answered(self, bert: Bert) -> dict[str, Neighbors]:
        """The neighbours of each query that has some."""
        return with_tokens(self.results(bert))

    def _result(self, bert: Bert, query: str) -> Neighbors | str:
        how = {"unused": self.unused, "count_own": self.own}
        try:
            return nearest_tokens(bert, query, self.k, self.metric, self.keep, **how)
        except UserInputError as error:
            return str(error)


def with_tokens(results: Mapping[str, Neighbors | str]) -> dict[str, Neighbors]:
    """Those of `Search.results` that hold a token."""
    return {
        query: one for query, one in results.items() if isinstance(one, Neighbors) and one.tokens
    }


@view("neighbours", page="Nearest Neighbors", rank=0)
def neighbors(
    bert: Bert,
    search: Search,
    others: NearestScores | None = None,
    layout: TokenMap | None = None,
    mapby: str = TSNE,
) -> View:
    """The tokens nearest to each query, and where on the map of the token table they are."""
    results = search.results(bert)
    answered = with_tokens(results)
    columns = [
        _column(bert, query, found, others, number, None if len(results) == 1 else answered)
        for number, (query, found) in enumerate(results.items(), 1)
    ]
    shown = Map.of(bert, layout, mapby)
    rows = MAX_BARS // max(len(answered), 1)
    notes: list[Part] = []
    if len(results) > 1 and any(len(one.tokens) > rows for one in answered.values()):
        notes = [caption("Bars: the first {rows} each. The tables have all.", rows=rows)]
    return View(
        beside(
            [*(part for said, _ in columns for part in said), *notes],
            [*shown.parts(answered), *(shown.near(*one) for one in answered.items())],
        ),
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
    columns, name = partial(_columns, bert, found, others), f"neighbors-{number}"
    folded: list[Part] = [
        table(columns, name=name, fold="Table"),
        program(
            PROGRAM,
            bert,
            terms=[(term.sign, list(term.token_ids)) for term in found.terms],
            k=len(found.tokens),
            metric=found.metric,
            keep=found.keep,
            unused=found.unused,
            count_own=bool(found.is_own.any()),
            name=name,
            arrays=lambda: {
                **columns(),
                "rows": bert.tables.word_embeddings[found.ranked_ids],
                "query": found.vector,
                "scores of all rows": found.all_scores,
            },
        ),
    ]
    closer = _share_closer(found, others) if every is None else ""
    said = [_finding(bert, query, found, closer), _bars(bert, query, found, name, every)]
    return [*split, *said], folded


def _split_terms(found: Neighbors) -> list[Part]:
    """Say which words of the query are not one row of the table."""
    split = [term for term in found.terms if len(term.tokens) > 1]
    if not split:
        return []
    each = (f"{shortened(one.text, 40)} = {shortened(' '.join(one.tokens), 80)}" for one in split)
    return [
        note("Not one token: {split}. Its vector is the mean of its pieces.", split=joined(each))
    ]


def _finding(bert: Bert, query: str, found: Neighbors, closer: str) -> Part:
    """The nearest token; of a sum, whether it is nearer to that than to a word of the query."""
    said = "Nearest to <b>{query}</b>: <b>{nearest}</b> ({measure} <b>{score}</b>)."
    values = {
        "query": shortened(query),
        "nearest": found.tokens[0],
        "measure": SHORT_NAMES[found.metric],
        "score": f"{found.scores[0]:.3f}",
        "closer": closer,
        "closest": " ".join(found.tokens[:3]),
    }
    method = "nearest-rows"
    if found.is_own[0]:
        said += " It is part of the query."
    elif len(found.terms) > 1:
        method = "arithmetic-with-words"
        answer = found.token_ids[:1]
        whole = float(query_cosines(bert, found, answer)[0])
        terms = term_cosines(bert, found, answer)[:, 0]
        values |= {
            "whole": f"{whole:.3f}",
            "nearest-term": found.terms[int(terms.argmax())].text,
            "term-cosine": f"{terms.max():.3f}",
        }
        if whole > terms.max():
            said += (
                " {nearest} is nearer to the result (cosine {whole}) than to any of its words "
                "(<b>{nearest-term}</b> <b>{term-cosine}</b>)."
            )
        else:
            said += (
                " {nearest} is nearer to <b>{nearest-term}</b> alone (cosine <b>{term-cosine}</b>) "
                "than to the result ({whole})."
            )
    elif closer:
        method = "nearest-neighbours-of-other-tokens"
        said += " {closer} of other tokens have a closer nearest neighbor."
    return say(said, method=method, **values)


def _share_closer(found: Neighbors, others: NearestScores | None) -> str:
    """How many other tokens have a closer nearest neighbor: "57%", or "" where nothing compares."""
    if others is None or not others.compares(found) or found.is_own[0] or len(found.terms) > 1:
        return ""
    return f"{100 - float(cut_percentiles(others.percentiles(found)[0])):g}%"


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
        shown = shown[: MAX_BARS // len(every)]
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
        ),
        alt=f"Bars of the tokens nearest to {query}: {', '.join(found.tokens[:3])} first, "
        f"{score_name} {found.scores[0]:.3f}."
        + (f" In grey, left out as part of the query: {', '.join(grey)}." if grey else ""),
        name=name,
    )


def _columns(bert: Bert, found: Neighbors, others: NearestScores | None) -> dict[str, Any]:
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
    if others is not None and others.compares(found):
        percentiles = np.full(len(ids), np.nan)  # those of tokens that are left out
        percentiles[np.isin(ids, found.token_ids)] = others.percentiles(found)
        columns["percentile"] = column(percentiles)
    if len(found.terms) > 1:
        for term, row in zip(found.terms, term_cosines(bert, found, ids), strict=True):
            columns[f"cosine with {term.text}"] = row
    return columns


PROGRAM = '''
"""The rows of the token table nearest to a sum of words."""

terms = ...  # sign, token ids of a word or its pieces
k = ...
metric = ...  # "cosine", "dot" or "euclidean"
keep = ...  # "all", "words" or "subwords"
unused = ...  # whether [unused...] rows may be answers
count_own = ...  # whether rows that make up the query may be answers
allowed = ...
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
own = {i for _, ids in terms for i in ids}
found = [
    i
    for i in order
    if allowed(tokens[i], keep, tokenizer.all_special_tokens)
    and (unused or not tokens[i].startswith("[unused"))
]
answers = [i for i in found if count_own or i not in own][:k]
for rank, i in enumerate(found[: found.index(answers[-1]) + 1], start=1):
    print(rank, tokens[i], f"{scores[i]:.4f}", "" if i in answers else "left out")

best = next(i for i in found if i not in own)  # and each term by itself
for (sign, ids), vector in zip(terms, vectors, strict=True):
    cosine = cosine_similarity([vector], [table[best]])[0, 0]
    print("+" if sign > 0 else "-", *(tokens[i] for i in ids), tokens[best], f"{cosine:.4f}")
'''
