"""The rows of the token table nearest to a query, by exact search."""

from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, cosine, cosine_matrix, read_only
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError, expect, expect_count, expect_each
from bertviz_core.neighbors.query import Term, parse_query
from bertviz_core.result import Result, cut, top
from bertviz_core.tokens.tokenized_text import Texts

Metric = Literal["cosine", "dot", "euclidean"]

METRICS: tuple[Metric, ...] = ("cosine", "dot", "euclidean")
SCORE_NAMES: dict[Metric, str] = {
    "cosine": "cosine similarity",
    "dot": "dot product",
    "euclidean": "Euclidean distance",
}
MAX_K = 100
SPARE = 8  # more rows are scored again in float64: a float32 product may misorder near-equal ones


@dataclass(frozen=True, eq=False, repr=False)
class Neighbors(Result):
    """Tokens near a query, best first.

    Attributes:
        tokens: The nearest tokens; the query's own are left out unless they were counted in.
        token_ids: int64 (k,), their rows.
        scores: float32 (k,). Cosine in [-1, 1] or dot product, high is near; for "euclidean" the
            distance, at least 0, low is near.
        metric: "cosine", "dot" or "euclidean".
        keep: Which kinds of tokens could be answers: "all", "words" or "subwords".
        unused: Whether `[unused...]` rows could be answers.
        terms: How the query was read.
        vector: float32 (hidden_size,), the query's vector.
        all_scores: float32 (vocab_size,), the score of every row of the table, in order of id,
            with the query's own and those that `keep` and `unused` leave out.
        ranked_ids: int64 (n,), the rows from the nearest one to the last answer, best first, with
            the query's own among them.
        ranked_scores: float32 (n,), the score of each.
        ranked_own: bool (n,), which of them are the query's own.
    """

    tokens: tuple[str, ...]
    token_ids: Ids
    scores: Array
    metric: Metric
    keep: Keep
    unused: bool
    terms: tuple[Term, ...]
    vector: Array
    all_scores: Array
    ranked_ids: Ids
    ranked_scores: Array
    ranked_own: NDArray[np.bool_]

    @property
    def own_ids(self) -> Ids:
        """int64, the rows that make up the query, each once."""
        return np.unique([token_id for term in self.terms for token_id in term.token_ids])

    @property
    def is_own(self) -> NDArray[np.bool_]:
        """bool (k,), which answers are the query's own rows; none without `count_own`."""
        return np.isin(self.token_ids, self.own_ids)

    def columns(self) -> dict[str, Any]:
        """One row an answer, best first; rank 1 is the best of them."""
        return {
            "rank": np.arange(1, len(self.tokens) + 1),
            "token": self.tokens,
            "token id": self.token_ids,
            SCORE_NAMES[self.metric]: self.scores,
        }

    def _summary(self) -> str:
        query = "".join(f" {'+' if term.sign > 0 else '-'} {term.text}" for term in self.terms)
        name = SCORE_NAMES[self.metric]
        return (
            f"{cut(query.removeprefix(' + ').strip())}, {name}: {top(self.tokens, self.scores, 5)}"
        )


@overload
def nearest_tokens(  # type: ignore[overload-overlap]
    bert: Bert, query: str, k: int = 10, metric: Metric = "cosine",
    keep: Keep = "all", *, unused: bool = False, count_own: bool = False,
) -> Neighbors: ...  # fmt: skip
@overload
def nearest_tokens(
    bert: Bert, query: Texts, k: int = 10, metric: Metric = "cosine",
    keep: Keep = "all", *, unused: bool = False, count_own: bool = False,
) -> list[Neighbors]: ...  # fmt: skip
def nearest_tokens(
    bert: Bert,
    query: str | Texts,
    k: int = 10,
    metric: Metric = "cosine",
    keep: Keep = "all",
    *,
    unused: bool = False,
    count_own: bool = False,
) -> Neighbors | list[Neighbors]:
    """Find the rows of the token embedding matrix, the token table, nearest to a sum of words.

    The vector of a term is its row, or the mean of its pieces' rows; the query's vector is the
    signed sum of its terms. Rows that make up the query are left out of the answer, as is usual;
    often one of them is the nearest of all, so they are given as well.

    Args:
        bert: The checkpoint whose token table is searched.
        query: "dog", "##ing", a word that splits, or "king - man + woman", with spaces around the
            signs; or a list of queries.
        k: How many neighbours, 1 to 100; fewer come back where fewer rows are left.
        metric: "cosine", "dot" or "euclidean".
        keep: "all" rows, whole "words" only, or "subwords" (`##...`) only.
        unused: Whether `[unused...]` rows may be answers.
        count_own: Whether the rows that make up the query may be answers.

    Returns:
        The k nearest, best first; equal scores in order of id. Of a list of queries a list.

    Raises:
        TypeError: A query is not text, or k not a whole number.
        UserInputError: The query cannot be read ("king-man", "2 * dog"), its vector is zero under
            "cosine", or k, metric or keep is none of the above.

    References:
        Mikolov et al. (2013), "Linguistic Regularities in Continuous Space Word Representations",
        for the arithmetic (here on raw rows, not on rows scaled to length 1); Linzen (2016),
        "Issues in evaluating semantic spaces using word analogies", for what leaving out the
        query's own rows hides.

    Example:
        >>> nearest_tokens(bert, "king - man + woman", k=3).tokens
        ('queen', 'kings', 'monarch')
    """
    expect(bert, Bert, "a Bert, from load_bert")
    if not isinstance(query, str):
        how = {"unused": unused, "count_own": count_own}
        queries = expect_each(query, str, "a query as a str, or a list of them")
        return [nearest_tokens(bert, one, k, metric, keep, **how) for one in queries]
    expect_count(k, MAX_K, "neighbours")
    if expect(metric, str, "a metric as a str") not in METRICS:
        raise UserInputError(f"There is no metric “{metric}”; choose {', '.join(METRICS)}.")
    allowed = bert.vocabulary.allowed(keep, unused=unused)
    terms = parse_query(bert, query)
    table = bert.tables.word_embeddings
    vector = _query_vector(table, terms)
    if metric == "cosine" and not vector.any():
        raise UserInputError("The query adds up to zero, which has no direction; change a term.")
    # Not `@`: the product waits for memory, and a second thread of BLAS would spin for up to 0.1 s
    # (NumPy 2.4 with OpenBLAS).
    dots: Array = np.vecdot(table, vector)
    length = np.float32(np.linalg.norm(vector))
    scores = scores_of(dots, bert.tables.word_norms, length, metric)
    own = np.zeros(len(table), dtype=bool)
    own[[token_id for term in terms for token_id in term.token_ids]] = True
    own &= allowed
    spare = SPARE if count_own else SPARE + int(np.count_nonzero(own))
    near = _nearest(scores.copy() if metric == "euclidean" else -scores, allowed, k + spare)
    exact = _exact_scores(table[near], vector, metric)
    order = np.lexsort((near, exact if metric == "euclidean" else -exact))
    ranked: Ids = near[order]
    ranked_scores: Array = exact[order].astype(np.float32)
    answers = np.flatnonzero(~own[ranked] | count_own)[:k]
    until = answers[-1] + 1 if len(answers) == k else len(ranked)
    ids = ranked[answers]
    return Neighbors(
        tokens=tuple(bert.vocabulary.tokens[i] for i in ids),
        token_ids=read_only(ids),
        scores=read_only(ranked_scores[answers]),
        metric=metric,
        keep=keep,
        unused=unused,
        terms=terms,
        vector=read_only(vector),
        all_scores=read_only(scores),
        ranked_ids=read_only(ranked[:until]),
        ranked_scores=read_only(ranked_scores[:until]),
        ranked_own=read_only(own[ranked[:until]]),
    )


def _query_vector(table: Array, terms: tuple[Term, ...]) -> Array:
    """The signed sum over terms of each term's vector: float32 (hidden_size,)."""
    total = np.zeros(table.shape[1], dtype=np.float64)
    for term in terms:
        total += term.sign * term_vector(table, term)
    return total.astype(np.float32)


def term_vector(table: Array, term: Term) -> Exact:
    """The mean of a term's rows, without its sign: float64 (hidden_size,)."""
    mean: Exact = table[list(term.token_ids)].mean(axis=0, dtype=np.float64)
    return mean


def term_cosines(bert: Bert, neighbors: Neighbors, token_ids: Ids) -> Exact:
    """Cosines of each term of a query, without its sign, with n rows: float64 (terms, n)."""
    table = bert.tables.word_embeddings
    vectors = np.stack([term_vector(table, term) for term in neighbors.terms])
    return cosine_matrix(vectors, table[token_ids])


def query_cosines(bert: Bert, neighbors: Neighbors, token_ids: Ids) -> Exact:
    """float64 (n,): the cosines of the whole query with n rows of the table, under any metric."""
    return cosine(bert.tables.word_embeddings[token_ids], neighbors.vector)


def scores_of(dots: Array, norms: Array, lengths: Array | np.float32, metric: Metric) -> Array:
    """The scores by a metric, of dot products (..., n) of queries with rows, and their lengths."""
    if metric == "dot":
        return dots
    if metric == "cosine":
        # A row of zeros has no direction: its product is 0, and so is its cosine.
        return dots / np.maximum(norms * lengths, np.finfo(np.float32).tiny)
    return np.sqrt(np.maximum(norms**2 - 2 * dots + lengths**2, 0))


def _nearest(ranked: Array, allowed: NDArray[np.bool_], k: int) -> Ids:
    """The k allowed rows with the lowest numbers, in any order; `ranked` is overwritten."""
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
