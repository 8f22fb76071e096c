"""One dimension of the token table: where the tokens of the vocabulary stand on it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from bertviz_core.errors import UserInputError

if TYPE_CHECKING:
    from bertviz_core.bert import Bert

Array = NDArray[np.float32]
Keep = Literal["all", "words", "subwords"]
KEEPS: tuple[Keep, ...] = ("all", "words", "subwords")
MOST = 100


@dataclass(frozen=True, eq=False)
class DimensionExtremes:
    """The tokens that stand highest and lowest on one dimension; arrays are read-only.

    Attributes:
        dimension: Which dimension.
        highest: int64 (k,), ids of the tokens with the largest values, the largest first.
        lowest: int64 (k,), ids of those with the smallest, the smallest first. Fewer than k where
            `keep` leaves fewer tokens.
        values: float32 (vocab_size,), the whole column of the table, in order of id.
        candidates: bool (vocab_size,), which rows `keep` allows; `[unused...]` rows never.
        mean: Mean of the candidates' values.
        deviation: Their standard deviation.
    """

    dimension: int
    highest: NDArray[np.int64]
    lowest: NDArray[np.int64]
    values: Array
    candidates: NDArray[np.bool_]
    mean: float
    deviation: float


def extreme_tokens(
    bert: "Bert", dimension: int, k: int = 10, keep: Keep = "all"
) -> DimensionExtremes:
    """Find the tokens with the largest and the smallest number in one dimension.

    Args:
        bert: The checkpoint whose token table is read.
        dimension: 0 to hidden_size - 1.
        k: How many at each end, 1 to 100.
        keep: "all" rows, whole "words" only, or "subwords" (`##...`) only.

    Returns:
        Both ends; equal values in order of id.

    Raises:
        UserInputError: There is no such dimension, or k or keep is none of the above.
    """
    if not 0 <= dimension < bert.hidden_size:
        raise UserInputError(
            f"There is no dimension {dimension}; choose 0 to {bert.hidden_size - 1}."
        )
    if not 1 <= k <= MOST:
        raise UserInputError(f"Asked for {k} tokens; choose 1 to {MOST}.")
    if keep not in KEEPS:
        raise UserInputError(f"There is no choice “{keep}”; choose {', '.join(KEEPS)}.")
    words = bert.vocabulary
    allowed = {"all": ~words.is_unused, "words": words.is_word, "subwords": words.is_subword}[keep]
    values = bert.tables.word_embeddings[:, dimension].copy()
    ids = np.flatnonzero(allowed)
    order = np.argsort(values[ids], kind="stable")
    falling = np.argsort(-values[ids], kind="stable")
    exact = values[ids].astype(np.float64)
    found = DimensionExtremes(
        dimension=dimension,
        highest=ids[falling[:k]].astype(np.int64),
        lowest=ids[order[:k]].astype(np.int64),
        values=values,
        candidates=allowed.copy(),
        mean=float(exact.mean()) if exact.size else 0.0,
        deviation=float(exact.std()) if exact.size else 0.0,
    )
    for array in (found.highest, found.lowest, found.values, found.candidates):
        array.setflags(write=False)
    return found
