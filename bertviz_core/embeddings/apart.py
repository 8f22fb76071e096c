"""Whether token and position can be told apart again from the sum of the three rows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, layer_norm, principal_directions, unit_rows
from bertviz_core.bert import Bert
from bertviz_core.tokens import TokenizedText

BATCH = 512  # vectors that are compared with a whole table at a time
SAMPLE = 1_000  # tokens, for all that the sums are compared with
LATE = 128  # a position after the end of all shipped sentences
DIRECTIONS = 10  # of each table
DRAWS, SEED = 20, 0  # of random directions


def nearest_rows(vectors: NDArray[Any], table: Array, ids: Ids) -> tuple[Array, Array]:
    """The cosine of each vector i with row ids[i], and the highest with another row."""
    vectors, rows = unit_rows(vectors, np.float32), unit_rows(table, np.float32)
    found = []
    for start in range(0, len(vectors), BATCH):
        scores = vectors[start : start + BATCH] @ rows.T
        right = np.arange(len(scores)), ids[start : start + BATCH]
        own = scores[right]
        scores[right] = -2  # below any cosine
        found.append((own, scores.max(axis=1)))
    own, other = map(np.concatenate, zip(*found, strict=True))
    return own, other


def told_apart(bert: Bert, texts: Sequence[TokenizedText]) -> tuple[int, list[list[float]]]:
    """The number of tokens of texts of one segment, and in five ways the shares of right rows.

    Each way has two shares, of the sums whose nearest token row and position row is their own. The
    ways: all sums; then `SAMPLE` of them after LayerNorm, with random tables, after LayerNorm with
    its weight and bias undone, and at random positions from `LATE` on, where there are any.
    """
    every = np.hstack([np.stack([text.input_ids, text.position_ids]) for text in texts])
    different, counts = np.unique(every, axis=1, return_counts=True)
    generator, held = np.random.default_rng(SEED), bert.tables
    some = every[:, generator.integers(every.shape[1], size=SAMPLE)]
    late, positions = some.copy(), len(held.position_embeddings)
    if positions > LATE:
        late[1] = generator.integers(LATE, positions, size=SAMPLE)
    tables = [held.word_embeddings, held.position_embeddings, held.token_type_embeddings]
    at_random = [
        generator.standard_normal(table.shape, np.float32) * np.sqrt(np.square(table).mean())
        for table in tables
    ]

    def summed(tables: list[Array], rows: Ids) -> Array:
        return np.asarray(tables[0][rows[0]] + tables[2][0] + tables[1][rows[1]])

    def right(vectors: NDArray[Any], of: list[Array], rows: Ids, times: Any = None) -> list[float]:
        found = [nearest_rows(vectors, of[one], rows[one]) for one in range(2)]
        return [float(np.average(own > other, weights=times)) for own, other in found]

    scale = held.layer_norm_weight, held.layer_norm_bias, bert.layer_norm_eps
    return every.shape[1], [
        right(summed(tables, different), tables, different, counts),
        right(layer_norm(summed(tables, some), *scale).output, tables, some),
        right(summed(at_random, some), at_random, some),
        right(layer_norm(summed(tables, some), *scale).divided, tables, some),
        right(summed(tables, late), tables, late),
    ]


def table_angles(bert: Bert) -> tuple[Exact, Exact]:
    """Principal angles between the directions in which token rows and position rows vary most.

    In degrees, rising: (m,) for both tables, (DRAWS, m) for as many random directions. Björck &
    Golub (1973).
    """
    spans = []
    for table in (bert.tables.word_embeddings, bert.tables.position_embeddings):
        # Half of all dimensions at most, so that two tables need not meet.
        count = min(DIRECTIONS, len(table) - 1, bert.hidden_size // 2)
        rows = table - table.mean(axis=0, dtype=np.float64)
        spans.append(principal_directions(rows.T @ rows, count)[0].T)
    generator = np.random.default_rng(SEED)

    def angles(a: Exact, b: Exact) -> Exact:
        cosines = np.linalg.svd(np.linalg.qr(a)[0].T @ np.linalg.qr(b)[0], compute_uv=False)
        return np.asarray(np.degrees(np.arccos(cosines.clip(0, 1))))

    draws = [[generator.standard_normal(one.shape) for one in spans] for _ in range(DRAWS)]
    return angles(*spans), np.stack([angles(*drawn) for drawn in draws])
