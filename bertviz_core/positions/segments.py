"""The segment table: its rows, and what sets them apart."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine, frozen, read_only
from bertviz_core.bert import Bert
from bertviz_core.errors import UserInputError
from bertviz_core.result import Result


@dataclass(frozen=True, eq=False, repr=False)
class SegmentComparison(Result):
    """The first two rows of a segment table; all arrays are float32 and read-only."""

    a: Array  # (hidden_size,), the row added to every token of the first text
    b: Array  # (hidden_size,), the row added to every token of the second text
    difference: Array  # (hidden_size,), b - a
    norms: Array  # (3,), Euclidean length of a, b and the difference
    cosine: float  # of a and b, in [-1, 1]
    largest: Ids  # int64 (hidden_size,), dimensions by falling size of the difference

    def columns(self) -> dict[str, Any]:
        """One row a dimension, the largest difference first."""
        order = self.largest
        return {
            "dimension": order,
            "segment A": self.a[order],
            "segment B": self.b[order],
            "B − A": self.difference[order],
        }


def compare_segments(bert: Bert) -> SegmentComparison:
    """Compare the two rows of the segment table. Devlin et al. (2019), section 3."""
    if bert.type_vocab_size < 2:
        raise UserInputError(
            f"{bert.name} has a segment table of one row: it knows no second segment, so there is "
            "nothing to compare."
        )
    first, second = bert.tables.token_type_embeddings[:2]
    difference: Array = second - first
    rows = np.stack([first, second, difference])
    return SegmentComparison(
        a=first,
        b=second,
        difference=read_only(difference),
        norms=frozen(np.linalg.norm(rows.astype(np.float64), axis=1)),
        cosine=float(cosine(first, second)),
        largest=frozen(np.argsort(-np.abs(difference), kind="stable"), np.int64),
    )
