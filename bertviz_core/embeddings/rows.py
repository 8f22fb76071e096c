"""Two texts, row by row: at which stage of the embedding layer their rows are still the same."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Ids, read_only
from bertviz_core.bert import Bert
from bertviz_core.embeddings import input_embeddings
from bertviz_core.tokens import TokenizedText

STAGES = ("token rows", "+ segment", "+ position", "after LayerNorm")


class RowComparison(NamedTuple):
    """Rows of a text A against rows of a text B, after each of the four `STAGES`; read-only."""

    # bool (4, len(A), len(B)), whether row i of A and row j of B are equal to the last bit.
    identical: NDArray[np.bool_]
    # float32 (4, shorter, hidden_size), row k of A minus row k of B, for the rows both have.
    differences: Array

    @property
    def stages_kept(self) -> Ids:
        """int64 (len(A), len(B)), how many stages two rows stay equal, from the first: 0 to 4."""
        kept = np.cumprod(self.identical.astype(np.int64), axis=0).sum(axis=0)
        return np.asarray(kept, dtype=np.int64)


def compare_rows(bert: Bert, first: TokenizedText, second: TokenizedText) -> RowComparison:
    """Compare the rows of two texts after the look-up, after each addition and after LayerNorm."""
    a, b = _stages(bert, first), _stages(bert, second)
    shorter = min(len(first), len(second))
    identical = np.stack([_equal_rows(left, right) for left, right in zip(a, b, strict=True)])
    differences = np.stack(
        [left[:shorter] - right[:shorter] for left, right in zip(a, b, strict=True)]
    )
    return RowComparison(read_only(identical), read_only(differences))


def _stages(bert: Bert, text: TokenizedText) -> tuple[Array, Array, Array, Array]:
    parts = input_embeddings(bert, text)
    return parts.word, parts.word + parts.token_type, parts.summed, parts.output


def _equal_rows(left: Array, right: Array) -> NDArray[np.bool_]:
    """bool (len(left), len(right)). Equal rows get equal numbers, so long texts are quick."""
    # Adding zero turns -0.0 into 0.0: equal numbers, but other bits.
    rows = np.concatenate([left, right]) + np.float32(0)
    numbers: dict[bytes, int] = {}
    ids = np.array([numbers.setdefault(row.tobytes(), len(numbers)) for row in rows])
    return np.asarray(ids[: len(left), None] == ids[None, len(left) :])
