"""One dimension of the token table: where the tokens of the vocabulary lie on it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.checkpoints.vocabulary import Keep
from bertviz_core.errors import UserInputError

MOST = 100


class DimensionExtremes(NamedTuple):
    """The tokens with the largest and smallest numbers in one dimension; read-only."""

    dimension: int  # which dimension
    highest: Ids  # int64 (k,), ids of the tokens with the largest values, the largest first
    # int64 (k,), ids of those with the smallest, the smallest first. Fewer than k where `keep`
    # leaves fewer tokens.
    lowest: Ids
    values: Array  # float32 (vocab_size,), the whole column of the table, in order of id
    # bool (vocab_size,), which rows `keep` allows; `[unused...]` rows never.
    candidates: NDArray[np.bool_]
    mean: float  # mean of the candidates' values
    deviation: float  # their standard deviation


def extreme_tokens(
    bert: Bert, dimension: int, k: int = 10, keep: Keep = "all"
) -> DimensionExtremes:
    """The k tokens, up to 100, with the largest and the smallest number in one dimension."""
    if not 0 <= dimension < bert.hidden_size:
        raise UserInputError(
            f"There is no dimension {dimension}; choose 0 to {bert.hidden_size - 1}."
        )
    if not 1 <= k <= MOST:
        raise UserInputError(f"Asked for {k} tokens; choose 1 to {MOST}.")
    allowed = bert.vocabulary.allowed(keep)
    values = frozen(bert.tables.word_embeddings[:, dimension])
    ids = np.flatnonzero(allowed)
    rising = np.argsort(values[ids], kind="stable")
    falling = np.argsort(-values[ids], kind="stable")
    exact = values[ids].astype(np.float64)
    return DimensionExtremes(
        dimension=dimension,
        highest=frozen(ids[falling[:k]], np.int64),
        lowest=frozen(ids[rising[:k]], np.int64),
        values=values,
        candidates=read_only(allowed),
        mean=float(exact.mean()) if exact.size else 0.0,
        deviation=float(exact.std()) if exact.size else 0.0,
    )
