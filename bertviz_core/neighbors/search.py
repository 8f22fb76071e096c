"""The rows of the token table nearest to a query, by exact search."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError
from bertviz_core.neighbors.query import Term, parse_query

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

Array = NDArray[np.float32]
Metric = Literal["cosine", "dot", "euclidean"]
Keep = Literal["all", "words", "subwords"]

METRICS: tuple[Metric, ...] = ("cosine", "dot", "euclidean")
KEEPS: tuple[Keep, ...] = ("all", "words", "subwords")
MOST = 100
# A float32 product may order near-equal rows wrongly; this many more are scored again in float64.
_SPARE = 8
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
    found = _best(
        scores.copy() if metric == "euclidean" else -scores,
        _left_out(bert, terms, keep, unused),
        k + _SPARE,
    )
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
        # A row of zeros has no direction: its product is 0, and so is its cosine.
        return dots / np.maximum(norms * length, np.finfo(np.float32).tiny)
    return np.sqrt(np.maximum(norms**2 - 2 * dots + length**2, 0))


def _left_out(
    bert: "Bert", terms: tuple[Term, ...], keep: Keep, unused: bool
) -> list[NDArray[np.bool_] | list[int]]:
    """Rows that may not be answers, as masks and lists of ids."""
    words = bert.vocabulary
    left_out: list[NDArray[np.bool_] | list[int]] = [
        [token_id for term in terms for token_id in term.token_ids]
    ]
    if keep == "words":
        left_out += [words.is_subword, words.is_special]
    elif keep == "subwords":
        left_out.append(~words.is_subword)
    if not unused:
        left_out.append(words.is_unused)
    return left_out


def _best(
    ranked: Array, left_out: Sequence[NDArray[np.bool_] | list[int]], k: int
) -> NDArray[np.int64]:
    """The k rows of lowest rank, in any order, or all not left out; `ranked` is overwritten."""
    for rows in left_out:
        ranked[rows] = np.inf
    # The best of k blocks are k rows: no row behind the worst of them is among the k best. This
    # leaves few rows to sort out, where sorting out all of them costs a tenth of the product.
    blocks = len(ranked) // BLOCK
    worst = np.float32(np.inf)
    if k < blocks:
        best_of_blocks = ranked[: blocks * BLOCK].reshape(BLOCK, blocks).min(axis=0)
        worst = np.partition(best_of_blocks, k - 1)[k - 1]
    within = ranked <= worst if np.isfinite(worst) else np.isfinite(ranked)
    candidates = np.flatnonzero(within)
    if k < len(candidates):
        candidates = candidates[np.argpartition(ranked[candidates], k)[:k]]
    return candidates


def _exact_scores(rows: Array, vector: Array, metric: Metric) -> NDArray[np.float64]:
    exact, query = rows.astype(np.float64), vector.astype(np.float64)
    if metric == "euclidean":
        return np.asarray(np.linalg.norm(exact - query, axis=1))
    dots = exact @ query
    if metric == "dot":
        return np.asarray(dots)
    lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact) * (query @ query))
    cosines = np.divide(dots, lengths, out=np.zeros_like(dots), where=lengths > 0)
    return np.clip(cosines, -1, 1)
