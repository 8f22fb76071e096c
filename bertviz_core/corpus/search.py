"""The occurrences whose vectors are nearest to a vector, over all parts of a folder."""

from dataclasses import dataclass

import numpy as np

from bertviz_core.arrays import Array, Ids, cosine, read_only
from bertviz_core.corpus.store import Occurrences, Where
from bertviz_core.errors import UserInputError, expect, expect_count
from bertviz_core.result import Readable, top

MAX_K = 1_000


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Readable):
    """Occurrences near a vector, best first."""

    rows: Ids  # int64 (k,), their numbers
    cosines: Array  # float32 (k,), in [-1, 1]
    among: int  # how many occurrences were compared

    def _summary(self) -> str:
        nearest = top([f"row {row}" for row in self.rows.tolist()], self.cosines)
        return f"among {self.among:,}: {nearest}"


def nearest(
    occurrences: Occurrences, vector: Array, *, layer: int, k: int = 10, where: Where = ()
) -> Nearest:
    """Find the occurrences whose vectors have the highest cosine with a vector.

    All of them are compared, part after part; of each no more than its cosine stays in memory.

    Args:
        vector: float32 (hidden_size,), of the same model, layer and pooling.
        k: How many, 1 to 1,000; fewer come back where there are fewer.
        where: Only occurrences that meet one condition, or several.

    Raises:
        TypeError: The vector is not an array, or k not a whole number.
        UserInputError: The vector is of another size, zero or not finite, k is out of range, or
            there is no such layer, word or column.

    Example:
        >>> vector = occurrences.vectors(6, [22])[0]
        >>> nearest(occurrences, vector, layer=6, k=3).rows.tolist()
        [22, 17, 19]
    """
    size = occurrences.job.model.hidden_size
    expect(vector, np.ndarray, f"a vector as an array of shape ({size},)")
    finite = np.count_nonzero(np.isfinite(vector))
    if vector.shape != (size,) or finite < size or not vector.any():
        raise UserInputError(
            f"The vector has the shape {vector.shape} and {finite:,} finite numbers; expected is "
            f"({size},), of the same model, all of them finite and not all zero."
        )
    expect_count(k, MAX_K, "occurrences")
    rows = occurrences.rows(where=where)
    compared = [cosine(some, vector) for some in occurrences.iter_vectors(layer, rows)]
    cosines = np.concatenate([np.empty(0), *compared])
    order = np.argsort(-cosines, kind="stable")[:k]
    return Nearest(read_only(rows[order]), read_only(cosines[order].astype(np.float32)), len(rows))
