"""The rows of the token table nearest to a query, by exact search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, cosine
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.query import Term, parse_query

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

Metric = Literal["cosine", "dot", "euclidean"]

METRICS: tuple[Metric, ...] = ("cosine", "dot", "euclidean")
MOST = 100
# A float32 product may order near-equal rows wrongly; this many more are scored again in float64.
SPARE = 8


@dataclass(frozen=True, eq=False)
class Neighbors:
    """Tokens near a query, best first.

    Attributes:
        tokens: The nearest tokens; the query's own are left out.
        token_ids: int64 (k,), their rows.
        scores: float32 (k,). Cosine in [-1, 1] or dot product, high is near; for "euclidean" the
            distance, at least 0, low is near.
        metric: "cosine", "dot" or "euclidean".
        terms: How the query was read.
        vector: float32 (hidden_size,), the query's vector.
        all_scores: float32 (vocab_size,), the score of every row of the table, in order of id:
            the query's own and those left out by `keep` and `unused` as well.
    """

    tokens: tuple[str, ...]
    token_ids: Ids
    scores: Array
    metric: Metric
    terms: tuple[Term, ...]
    vector: Array
    all_scores: Array


def nearest_tokens(
    bert: "Bert",
    query: str,
    k: int = 10,
    metric: Metric = "cosine",
    keep: Keep = "all",
    *,
    unused: bool = False,
) -> Neighbors:
    """Find the rows of the token table nearest to a token, a word or a sum of words.

    The vector of a term is its row, or the mean of its pieces' rows; the query's vector is the
    signed sum of its terms. Rows that make up the query are left out of the answer.

    Args:
        bert: The checkpoint whose token table is searched.
        query: "dog", "##ing", a word that splits, or "king - man + woman".
        k: How many neighbours, 1 to 100; fewer come back where fewer rows are left.
        metric: "cosine", "dot" or "euclidean".
        keep: "all" rows, whole "words" only, or "subwords" (`##...`) only.
        unused: Whether `[unused...]` rows may be answers.

    Returns:
        The k nearest, best first; equal scores in order of id.

    Raises:
        UserInputError: The query cannot be read, its vector is zero under "cosine", or k, metric
            or keep is none of the above.

    References:
        Mikolov et al. (2013), "Linguistic Regularities in Continuous Space Word Representations",
        for the arithmetic (here on raw rows, not on rows scaled to length 1).
    """
    if not 1 <= k <= MOST:
        raise UserInputError(f"Asked for {k} neighbours; choose 1 to {MOST}.")
    if metric not in METRICS:
        raise UserInputError(f"There is no metric “{metric}”; choose {', '.join(METRICS)}.")
    allowed = bert.vocabulary.allowed(keep, unused=unused)
    terms = parse_query(bert, query)
    table = bert.tables.word_embeddings
    vector = _query_vector(table, terms)
    if metric == "cosine" and not vector.any():
        raise UserInputError("The query adds up to zero, which has no direction; change a term.")
    scores = _score_rows(bert, vector, metric)
    allowed[[token_id for term in terms for token_id in term.token_ids]] = False
    near = _best(scores.copy() if metric == "euclidean" else -scores, allowed, k + SPARE)
    exact = _exact_scores(table[near], vector, metric)
    order = np.lexsort((near, exact if metric == "euclidean" else -exact))[:k]
    ids = near[order]
    return Neighbors(
        tokens=tuple(bert.vocabulary.tokens[i] for i in ids),
        token_ids=ids,
        scores=exact[order].astype(np.float32),
        metric=metric,
        terms=terms,
        vector=vector,
        all_scores=scores,
    )


def _query_vector(table: Array, terms: tuple[Term, ...]) -> Array:
    """The signed sum over terms of the mean of each term's rows: float32 (hidden_size,)."""
    total = np.zeros(table.shape[1], dtype=np.float64)
    for term in terms:
        total += term.sign * table[list(term.token_ids)].mean(axis=0, dtype=np.float64)
    return total.astype(np.float32)


def _score_rows(bert: "Bert", vector: Array, metric: Metric) -> Array:
    # Not `@`: the product waits for memory, and the second thread of BLAS would spin beside it for
    # up to 0.1 s (NumPy 2.4 with OpenBLAS).
    dots: Array = np.vecdot(bert.tables.word_embeddings, vector)  # (vocab_size,)
    if metric == "dot":
        return dots
    norms = bert.tables.word_norms
    length = np.float32(np.linalg.norm(vector))
    if metric == "cosine":
        # A row of zeros has no direction: its product is 0, and so is its cosine.
        return dots / np.maximum(norms * length, np.finfo(np.float32).tiny)
    return np.sqrt(np.maximum(norms**2 - 2 * dots + length**2, 0))


def _best(ranked: Array, allowed: NDArray[np.bool_], k: int) -> Ids:
    """The k allowed rows of lowest rank, or all of them, in any order; `ranked` is overwritten."""
    ranked[~allowed] = np.inf
    best = np.argpartition(ranked, min(k, len(ranked)) - 1)[:k]
    return best[allowed[best]]


def _exact_scores(rows: Array, vector: Array, metric: Metric) -> Exact:
    if metric == "cosine":
        return cosine(rows, vector)
    exact = rows.astype(np.float64)
    if metric == "dot":
        return np.vecdot(exact, vector)
    return np.asarray(np.linalg.norm(exact - vector, axis=1))
