"""The rows of the token table nearest to a query, by exact search."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError
from bertviz_core.query import Term, parse_query

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

Array = NDArray[np.float32]
Metric = Literal["cosine", "dot", "euclidean"]
Keep = Literal["all", "words", "subwords"]

METRICS: tuple[Metric, ...] = ("cosine", "dot", "euclidean")
KEEPS: tuple[Keep, ...] = ("all", "words", "subwords")
MOST = 100
# A float32 product may order near-equal rows wrongly; this many more are scored again in float64.
_SPARE = 16
BLOCK = 64


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
    token_ids: NDArray[np.int64]
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
    if keep not in KEEPS:
        raise UserInputError(f"There is no choice “{keep}”; choose {', '.join(KEEPS)}.")
    terms = parse_query(bert, query)
    table = bert.tables.word_embeddings
    vector = query_vector(table, terms)
    if metric == "cosine" and not vector.any():
        raise UserInputError("The query adds up to zero, which has no direction; change a term.")
    scores = _score_rows(bert, vector, metric)
    allowed = _allowed(bert, terms, keep, unused)
    found = _best(scores, allowed, k + _SPARE, low=metric == "euclidean")
    exact = _exact_scores(table[found], vector, metric)
    order = np.lexsort((found, exact if metric == "euclidean" else -exact))[:k]
    ids = found[order]
    return Neighbors(
        tokens=tuple(bert.vocabulary.tokens[i] for i in ids),
        token_ids=ids,
        scores=exact[order].astype(np.float32),
        metric=metric,
        terms=terms,
        vector=vector,
        all_scores=scores,
    )


def query_vector(table: Array, terms: tuple[Term, ...]) -> Array:
    """Add up the terms of a query.

    Args:
        table: (vocab_size, hidden_size).
        terms: From `parse_query`.

    Returns:
        float32 (hidden_size,): the signed sum over terms of the mean of each term's rows.
    """
    total = np.zeros(table.shape[1], dtype=np.float64)
    for term in terms:
        total += term.sign * table[list(term.token_ids)].mean(axis=0, dtype=np.float64)
    return total.astype(np.float32)


def _score_rows(bert: "Bert", vector: Array, metric: Metric) -> Array:
    dots: Array = bert.tables.word_embeddings @ vector  # (vocab_size,)
    if metric == "dot":
        return dots
    norms = bert.tables.word_norms
    length = np.float32(np.linalg.norm(vector))
    if metric == "cosine":
        # A row of zeros has no direction: its cosine is set to 0.
        return np.divide(dots, norms * length, out=np.zeros_like(dots), where=norms > 0)
    return np.sqrt(np.maximum(norms**2 - 2 * dots + length**2, 0))


def _allowed(bert: "Bert", terms: tuple[Term, ...], keep: Keep, unused: bool) -> NDArray[np.bool_]:
    words = bert.vocabulary
    if keep == "words":
        allowed = words.is_word
    elif keep == "subwords":
        allowed = words.is_subword.copy()
    else:
        allowed = ~words.is_unused
    if unused and keep != "subwords":
        allowed = allowed | words.is_unused
    for term in terms:
        allowed[list(term.token_ids)] = False
    return allowed


def _best(scores: Array, allowed: NDArray[np.bool_], k: int, *, low: bool) -> NDArray[np.int64]:
    ranked = scores.copy() if low else -scores
    ranked[~allowed] = np.inf
    k = min(k, int(np.count_nonzero(allowed)))
    candidates = np.arange(len(ranked))
    # The best of k blocks are k rows: no row behind the worst of them is among the k best. This
    # leaves few rows to sort out, where sorting out all of them costs a tenth of the product.
    blocks = len(ranked) // BLOCK
    if 0 < k < blocks:
        best_of_blocks = ranked[: blocks * BLOCK].reshape(blocks, BLOCK).min(axis=1)
        candidates = np.flatnonzero(ranked <= np.partition(best_of_blocks, k - 1)[k - 1])
    if k < len(candidates):
        candidates = candidates[np.argpartition(ranked[candidates], k)[:k]]
    return candidates.astype(np.int64)


def _exact_scores(rows: Array, vector: Array, metric: Metric) -> NDArray[np.float64]:
    exact, query = rows.astype(np.float64), vector.astype(np.float64)
    if metric == "euclidean":
        return np.asarray(np.linalg.norm(exact - query, axis=1))
    dots = exact @ query
    if metric == "dot":
        return np.asarray(dots)
    lengths = np.linalg.norm(exact, axis=1) * np.linalg.norm(query)
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return np.clip(cosines, -1, 1)
