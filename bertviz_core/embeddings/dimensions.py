"""Single dimensions: tokens with extreme numbers, and those in which tokens differ."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep

MAX_K = 100


class DimensionExtremes(NamedTuple):
    """The tokens with the largest and smallest numbers in one dimension; read-only."""

    highest: Ids  # int64 (k,), ids of the tokens with the largest values, the largest first
    lowest: Ids  # the same of the smallest
    values: Array  # float32 (vocab_size,), the whole column of the table, in order of id
    candidates: NDArray[np.bool_]  # bool (vocab_size,), which rows `keep` allows
    mean: float  # mean of the candidates' values
    deviation: float  # their standard deviation


def extreme_tokens(
    bert: Bert, dimension: int, k: int = 10, keep: Keep = "all"
) -> DimensionExtremes:
    """The k tokens, up to 100, with the largest and the smallest number in one dimension."""
    allowed = bert.vocabulary.allowed(keep)
    values = frozen(bert.tables.word_embeddings[:, dimension])
    ids = np.flatnonzero(allowed)
    rising = np.argsort(values[ids], kind="stable")
    falling = np.argsort(-values[ids], kind="stable")
    exact = values[ids].astype(np.float64)
    return DimensionExtremes(
        highest=frozen(ids[falling[:k]], np.int64),
        lowest=frozen(ids[rising[:k]], np.int64),
        values=values,
        candidates=read_only(allowed),
        mean=float(exact.mean()) if exact.size else 0.0,
        deviation=float(exact.std()) if exact.size else 0.0,
    )


def most_variable_dimensions(values: Array, count: int) -> Ids:
    """The dimensions in which the tokens of a text differ most, by falling deviation."""
    spread = values.std(axis=0, dtype=np.float64)
    return np.argsort(-spread, kind="stable")[:count].astype(np.int64)
