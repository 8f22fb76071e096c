"""The rows of the token table nearest to a query, by exact search.

A query is a word, a piece such as `##ing`, or a sum such as `king - man + woman`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, cosine, cosine_matrix, read_only
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError, expect, expect_count, expect_each, shortened
from bertviz_core.result import Result, cut, top
from bertviz_core.tokens.tokenized_text import Texts, without_lone_surrogates

Metric = Literal["cosine", "dot", "euclidean"]

SCORE_NAMES: dict[Metric, str] = {
    "cosine": "cosine similarity",
    "dot": "dot product",
    "euclidean": "Euclidean distance",
}
METRICS = tuple(SCORE_NAMES)
NEAR: dict[Metric, int] = {"cosine": 1, "dot": 1, "euclidean": -1}  # times it, near is high
MAX_K = 100
SPARE = 8  # more rows are scored again in float64: a float32 product may misorder near-equal ones
# Keyboards, slides and books write each sign in several ways: full width, raised, and dashes.
_SIGNS = {"+": 1, "＋": 1, "⁺": 1} | dict.fromkeys("-−‐‑‒–—－⁻", -1)
_SIGN = f"[{re.escape(''.join(_SIGNS))}]"
_END = re.compile(r"(?<=\S)\s*=[\s?]*$")  # "king - man ="
# What looks like arithmetic in a term and would be read as pieces: a sign without a space on one
# side, a product, an equation, and in a sum brackets, a fraction, or a number before a word.
_NOT_COMPUTED = re.compile(rf"{_SIGN}\w|\w{_SIGN}\s|\w\s*[*×÷=^]\s*\w|\s/\s")
_NOT_IN_A_SUM = re.compile(r"[()*×÷/=^]|^[\d.,]+\s")


@dataclass(frozen=True)
class Term:
    """One term of the sum that a query is."""

    sign: int  # +1 or -1
    text: str  # the term as it was typed
    tokens: tuple[str, ...]  # its WordPieces; several where the tokenizer splits the text
    token_ids: tuple[int, ...]  # their rows of the token table


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
        unused: Whether rows that no text reaches could be answers.
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
    keep: Keep = "all", *, unused: bool = False,
) -> Neighbors: ...  # fmt: skip
@overload
def nearest_tokens(
    bert: Bert, query: Texts, k: int = 10, metric: Metric = "cosine",
    keep: Keep = "all", *, unused: bool = False,
) -> list[Neighbors]: ...  # fmt: skip
def nearest_tokens(
    bert: Bert,
    query: str | Texts,
    k: int = 10,
    metric: Metric = "cosine",
    keep: Keep = "all",
    *,
    unused: bool = False,
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
        unused: Whether rows that no text reaches may be answers: of `[unused0]`, `##!`.

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
        queries = expect_each(query, str, "a query as a str, or a list of them")
        return [nearest_tokens(bert, one, k, metric, keep, unused=unused) for one in queries]
    expect_count(k, MAX_K, "neighbours")
    if expect(metric, str, "a metric as a str") not in METRICS:
        raise UserInputError(f"There is no metric “{metric}”; choose {', '.join(METRICS)}.")
    allowed = bert.vocabulary.allowed(keep, unused=unused)
    terms = parse_query(bert, query)
    table = bert.tables.word_embeddings
    vectors = mean_rows(table, [term.token_ids for term in terms])
    signs = np.array([[term.sign] for term in terms])
    vector: Array = (signs * vectors).sum(axis=0).astype(np.float32)
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
    spare = SPARE + int(np.count_nonzero(own))
    near = _nearest(-NEAR[metric] * scores, allowed, k + spare)
    exact = _exact_scores(table[near], vector, metric)
    order = np.lexsort((near, -NEAR[metric] * exact))
    ranked: Ids = near[order]
    ranked_scores: Array = exact[order].astype(np.float32)
    answers = np.flatnonzero(~own[ranked])[:k]
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


def parse_query(bert: Bert, query: str) -> tuple[Term, ...]:
    """The terms between + and - with spaces around: each is a token, or cut into pieces."""
    words = _END.sub("", without_lone_surrogates(query)).split()
    if not words:
        raise UserInputError(
            "Type a token to search for, such as dog, ##ing or king - man + woman."
        )
    if len(words) == 1:
        return (_term(bert, 1, words[0]),)
    terms = list[Term]()
    in_sum = not _SIGNS.keys().isdisjoint(words)
    sign = 1
    text = list[str]()
    for number, word in enumerate(words):
        if word not in _SIGNS:
            text.append(word)
            continue
        if text:
            terms.append(_term(bert, sign, " ".join(text), in_sum))
        elif number > 0:
            raise UserInputError(
                f"Two signs follow each other before “{word}”; put a word between."
            )
        sign = _SIGNS[word]
        text = []
    if not text:
        raise UserInputError(f"The query ends in “{words[-1]}”; add the word that comes after it.")
    return (*terms, _term(bert, sign, " ".join(text), in_sum))


def _term(bert: Bert, sign: int, text: str, in_sum: bool = False) -> Term:
    ids = bert.vocabulary.ids
    if text in ids:
        return Term(sign, text, (text,), (ids[text],))
    if _NOT_COMPUTED.search(text) or (in_sum and _NOT_IN_A_SUM.search(text)):
        raise UserInputError(
            f"“{shortened(text, 40)}” is not computed. A query is a word, several words (their "
            "mean), or a sum with spaces around + and -, such as king - man + woman."
        )
    if bert.vocabulary.continues(text):
        raise UserInputError(f"The vocabulary of {bert.name} has no piece “{text}”.")
    encoding = bert.tokenizer.encode(text, add_special_tokens=False)
    if not encoding.ids:
        raise UserInputError(f"“{text}” holds no character that BERT reads; type a word.")
    model: Any = bert.tokenizer.model
    if model.unk_token in encoding.tokens:
        most = model.max_input_chars_per_word
        too_long = any(end - start > most for start, end in encoding.offsets)
        why = "its vocabulary has no piece for it"
        if too_long:
            why = f"it holds a word of more than {most} characters"
        raise UserInputError(
            f"BERT reads “{shortened(text, 40)}” as {model.unk_token}: {why}. "
            f"Search for {model.unk_token} to see that row."
        )
    return Term(sign, text, tuple(encoding.tokens), tuple(encoding.ids))


def mean_rows(table: Any, words: Iterable[tuple[int, ...]]) -> Exact:
    """The vector of each of n words, the mean of its rows of a table: float64 (n, hidden_size)."""
    return np.stack([table[list(ids)].mean(axis=0, dtype=np.float64) for ids in words])


def term_cosines(bert: Bert, neighbors: Neighbors, token_ids: Ids) -> Exact:
    """Cosines of each term of a query, without its sign, with n rows: float64 (terms, n)."""
    table = bert.tables.word_embeddings
    vectors = mean_rows(table, [term.token_ids for term in neighbors.terms])
    return cosine_matrix(vectors, table[token_ids])


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
