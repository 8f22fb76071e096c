"""The baseline for a search in the token table: how near other tokens' nearest neighbours are.

The best of 30,522 rows beats nearly every pair of random rows, so such pairs are no baseline. The
scores of the embedded model ship; those of another one are kept on disk.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np

from bertviz_core.arrays import Array, Exact, Ids, frozen, on_one_thread
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import KEEPS
from bertviz_core.disk_cache import kept_file, known_arrays, write_arrays
from bertviz_core.neighbors.search import METRICS, NEAR, Neighbors, scores_of
from bertviz_core.neighbors.token_map import SEED, sampled, table_key
from bertviz_core.result import Readable

SAMPLE = 2000  # tokens
FORMAT = 1  # raise it when the way of searching changes in more than these
ROW_CHOICES = tuple(product(KEEPS, (False, True)))  # without or with rows that no text reaches
CHOICES = tuple((metric, *kind) for metric, kind in product(METRICS, ROW_CHOICES))
BLOCK = 100  # tokens a step; a step holds four arrays of 100 x vocab_size


@dataclass(frozen=True, eq=False, repr=False)
class NearestScores(Readable):
    """The scores of the nearest neighbours of many tokens."""

    token_ids: Ids  # int64 (n,), the sampled tokens, rising
    # float32 (18, n), a row for each of `CHOICES`: the score of the nearest neighbour; -inf (a
    # distance: inf) where none is left
    scores: Array

    def of_others(self, neighbors: Neighbors) -> Array:
        """The baseline of a search: the scores of the tokens outside the query, float32 (m,)."""
        choice = neighbors.metric, neighbors.keep, neighbors.unused
        scores = self.scores[CHOICES.index(choice)]
        others = ~np.isin(self.token_ids, neighbors.own_ids)
        return np.asarray(scores[others & np.isfinite(scores)])

    def compares(self, neighbors: Neighbors) -> bool:
        """Whether the scores of a search can be compared with those of single tokens."""
        # A sum of rows is longer than a row, a mean of rows shorter. Dot products and distances
        # depend on the query's length, cosines do not.
        single = len(neighbors.terms) == 1 and len(neighbors.terms[0].tokens) == 1
        return neighbors.metric == "cosine" or single

    def percentiles(self, neighbors: Neighbors) -> Exact:
        """Percent of other tokens whose nearest neighbour is less near: (k,)."""
        others = self.of_others(neighbors)
        if not (len(others) and self.compares(neighbors)):
            return np.full(len(neighbors.scores), np.nan)
        sign = NEAR[neighbors.metric]
        less_near = np.searchsorted(np.sort(sign * others), sign * neighbors.scores)
        return np.asarray(100 * less_near / len(others))


def nearest_scores(
    bert: Bert, progress: Callable[[int, int], object] = lambda done, total: None
) -> NearestScores:
    """Search the nearest neighbour of 2,000 ordinary tokens, by every metric and choice."""
    table = bert.tables.word_embeddings
    norms = bert.tables.word_norms
    token_ids = sampled(bert, SAMPLE)
    allowed = [bert.vocabulary.allowed(keep, unused=unused) for keep, unused in ROW_CHOICES]
    best = np.empty((len(METRICS), len(ROW_CHOICES), len(token_ids)), dtype=np.float32)
    for start in range(0, len(token_ids), BLOCK):
        ids = token_ids[start : start + BLOCK]
        with on_one_thread("blas"):
            dots = table[ids] @ table.T
        for metric, of_metric in zip(METRICS, best[..., start : start + BLOCK], strict=True):
            nearness = NEAR[metric] * scores_of(dots, norms, norms[ids, None], metric)
            nearness[np.arange(len(ids)), ids] = -np.inf  # itself
            for rows, of_kind in zip(allowed, of_metric, strict=True):
                of_kind[:] = NEAR[metric] * nearness[:, rows].max(axis=1, initial=-np.inf)
        progress(start + len(ids), len(token_ids))
    return NearestScores(frozen(token_ids, np.int64), frozen(best.reshape(len(CHOICES), -1)))


def known(bert: Bert) -> NearestScores | None:
    """The scores of a model that ship, or that this machine searched before; else None."""
    arrays = known_arrays("other-tokens", scores_key(bert))
    if arrays is None:
        return None
    return NearestScores(frozen(arrays["token_ids"], np.int64), frozen(arrays["scores"]))


def keep(bert: Bert, scores: NearestScores) -> bool:
    """Write a model's scores to disk; whether the folder took them."""
    key = scores_key(bert)
    return write_arrays(kept_file("other-tokens", key), key, vars(scores))


def scores_key(bert: Bert) -> str:
    """Hex digest of the token table, its tokens and the way of searching."""
    words = bert.vocabulary
    method = ("nearest scores", FORMAT, SAMPLE, SEED)
    return table_key(bert, *method, words.is_unused.tobytes(), *words.tokens)
