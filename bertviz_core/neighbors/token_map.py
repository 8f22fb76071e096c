"""Maps of the token table, one point a row, and how well they keep near rows near.

A map by t-SNE takes minutes. That of the embedded model ships: `scripts/write_shipped.py` makes it.
"""

import hashlib
from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array, Ids, frozen, on_one_thread, principal_directions
from bertviz_core.bert import Bert
from bertviz_core.disk_cache import read_arrays, shipped_file
from bertviz_core.neighbors.search import scores_of
from bertviz_core.result import Readable

SAMPLE, SEED = 500, 0
NEAREST, NEAR = 10, 100
BLOCK = 100  # tokens a step; a step holds two arrays of 100 x vocab_size
_ROWS = 4096  # of the table at a time


@dataclass(frozen=True, eq=False, repr=False)
class TokenMap(Readable):
    """One point for each row of the token table."""

    points: Array  # float32 (vocab_size, 2), read-only; between -1 and 1 in a map by t-SNE
    kept: float  # see `neighbors_kept`
    explained: tuple[float, ...] = ()  # the share of variance on each axis, for a PCA


def table_key(bert: Bert, *method: object) -> str:
    """Hex digest of all numbers of a token table, and of what is computed of them."""
    table = bert.tables.word_embeddings
    digest = hashlib.sha256(repr((*method, table.shape)).encode())
    digest.update(np.ascontiguousarray(table).data)
    return digest.hexdigest()


def shipped_map(bert: Bert) -> TokenMap | None:
    """The map by t-SNE that ships for a model's token table; None for any other table."""
    arrays = read_arrays(shipped_file("token-map"), table_key(bert))
    if arrays is None:
        return None
    return TokenMap(frozen(arrays["points"]), float(arrays["kept"]))


def pca_map(bert: Bert) -> TokenMap:
    """The token table projected on its two principal directions: `PCA(2)` of scikit-learn."""
    points, explained = principal_points(bert.tables.word_embeddings)
    return TokenMap(points, neighbors_kept(bert, points), explained)


def principal_points(rows: Array) -> tuple[Array, tuple[float, ...]]:
    """Points (n, 2) on the two principal directions, and the share of variance along each."""
    mean = rows.mean(axis=0, dtype=np.float64).astype(np.float32)
    scatter = np.zeros((rows.shape[1], rows.shape[1]))
    with on_one_thread("blas"):
        for start in range(0, len(rows), _ROWS):
            centred = rows[start : start + _ROWS] - mean
            scatter += centred.T @ centred
        directions, variances = principal_directions(scatter, 2)
        points = (rows @ directions.T.astype(np.float32)) - directions @ mean
    whole = float(np.trace(scatter)) or 1.0
    return frozen(points), tuple((variances / whole).tolist())


def neighbors_kept(bert: Bert, points: Array) -> float:
    """The share of the 10 nearest rows of 500 tokens that are among the 100 nearest on a map."""
    table = bert.tables.word_embeddings
    norms = bert.tables.word_norms
    points = np.asfortranarray(points)
    nearest, near = _counts(len(points))
    tokens = sampled(bert)
    kept = 0
    for start in range(0, len(tokens), BLOCK):
        ids = tokens[start : start + BLOCK]
        itself = np.arange(len(ids)), ids
        with on_one_thread("blas"):
            cosines = scores_of(table[ids] @ table.T, norms, norms[ids, None], "cosine")
        cosines[itself] = -np.inf
        neighbors = np.argpartition(cosines, -nearest, axis=1)[:, -nearest:]
        distances = sum(np.square(column - column[ids, None]) for column in points.T)
        distances[itself] = np.inf
        last = np.partition(distances, near - 1, axis=1)[:, near - 1 : near]
        kept += int((np.take_along_axis(distances, neighbors, axis=1) <= last).sum())
    return kept / max(len(tokens) * nearest, 1)


def sampled(bert: Bert, count: int = SAMPLE) -> Ids:
    """Ordinary tokens, always the same: int64 (at most `count`,), rising."""
    ordinary = np.flatnonzero(bert.vocabulary.is_ordinary)
    return np.sort(np.random.default_rng(SEED).permutation(ordinary)[:count])


def kept_by_chance(count: int) -> float:
    """The mean of `neighbors_kept` over maps with `count` points in random places."""
    return _counts(count)[1] / (count - 1)


def _counts(count: int) -> tuple[int, int]:
    """How many nearest rows and nearest points are compared; fewer on a map of few points."""
    near = min(NEAR, max((count - 1) // 10, 1))
    return min(NEAREST, near), near


def nearest_on_map(points: Array, row: int, k: int) -> Ids:
    """The k points nearest to one of them, itself left out: int64, nearest first."""
    x, y = (column - column[row] for column in points.T)
    distances = x * x + y * y
    distances[row] = np.inf
    k = min(k, len(points) - 1)
    nearest = np.flatnonzero(distances <= np.partition(distances, k - 1)[k - 1])
    return nearest[np.argsort(distances[nearest], kind="stable")][:k]
