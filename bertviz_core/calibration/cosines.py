"""The cosines of unrelated pairs, kept as quantiles, and the percentile of any other cosine."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, Ids, cosine_matrix, frozen, unit_rows
from bertviz_core.errors import UserInputError

QUANTILES = 1001
PARTNERS = 100
LEAST_PAIRS = 100


@dataclass(frozen=True, eq=False)
class Calibration:
    """How cosines of unrelated pairs are spread, layer by layer.

    All arrays are float32 and read-only; row n stands for layer n, 0 for the input embedding. The
    calibration of a token table has a single row, 0. "Centred" means: the mean vector of the layer
    was taken away from both vectors first.

    Attributes:
        model: Name of the checkpoint.
        sentences: How many sentences the vectors come from; 0 for a token table.
        vectors: How many vectors were paired.
        pairs: How many unrelated pairs they form.
        quantiles: (layers, 1001), cosines that 0 %, 0.1 %, ..., 100 % of the pairs do not exceed.
        centred_quantiles: The same after centring.
        anisotropy: (layers,), mean cosine of the pairs, in [-1, 1].
        centred_anisotropy: The same after centring.
        means: (layers, hidden_size), the mean vector of each layer.
    """

    model: str
    sentences: int
    vectors: int
    pairs: int
    quantiles: Array
    centred_quantiles: Array
    anisotropy: Array
    centred_anisotropy: Array
    means: Array

    @property
    def layers(self) -> int:
        """Number of rows: num_hidden_layers + 1, or 1 for a token table."""
        return len(self.quantiles)

    def percentile(self, cosine: float, layer: int = 0, *, centred: bool = False) -> float:
        """Do `percentiles` for one cosine."""
        return float(self.percentiles(np.float64(cosine), layer, centred=centred))

    def percentiles(self, cosines: Any, layer: int = 0, *, centred: bool = False) -> Any:
        """Say how many of the unrelated pairs have a lower cosine.

        Args:
            cosines: The cosines to judge, an array.
            layer: Where they were measured.
            centred: Whether they are cosines of centred vectors (`centred_cosines`).

        Returns:
            float64 of the same shape, percent of the pairs, 0 to 100, exact to 0.1 points for the
            pairs that were measured; pairs of the very same cosine count half.

        Raises:
            ValueError: There is no such layer.
        """
        self._check(layer)
        quantiles = (self.centred_quantiles if centred else self.quantiles)[layer]
        # In float32, as the quantiles are: 0.9 in float64 would miss an equal quantile.
        given = np.asarray(cosines, dtype=np.float32)
        below = np.searchsorted(quantiles, given, side="left")
        up_to = np.searchsorted(quantiles, given, side="right")
        left, right = np.maximum(below - 1, 0), np.minimum(below, len(quantiles) - 1)
        gap = quantiles[right].astype(np.float64) - quantiles[left]
        # Between two quantiles linearly; on one or several equal ones, in their middle.
        share = np.divide(
            given - quantiles[left].astype(np.float64),
            gap,
            out=np.zeros(given.shape),
            where=gap > 0,
        )
        ranks = np.where(up_to > below, (below + up_to - 1) / 2, left + share)
        last = len(quantiles) - 1
        ranks = np.where(given < quantiles[0], 0, np.where(given > quantiles[-1], last, ranks))
        return np.where(np.isnan(given), np.nan, 100 * ranks / last)

    def percentiles_by_layer(self, cosines: NDArray[Any], *, centred: bool = False) -> Exact:
        """Do `percentile` for one cosine a layer, as of `contextual.similarity_by_layer`.

        Returns:
            float64 (layers,), percent.

        Raises:
            ValueError: `cosines` has not one number a layer.
        """
        if cosines.shape != (self.layers,):
            raise ValueError(f"cosines have shape {cosines.shape}, layers {(self.layers,)}")
        rows = (self.percentile(c, layer, centred=centred) for layer, c in enumerate(cosines))
        return np.fromiter(rows, dtype=np.float64, count=self.layers)

    def centred_cosines(self, a: NDArray[Any], b: NDArray[Any], layer: int = 0) -> Array:
        """Compare every row of `a` with every row of `b` after centring.

        Args:
            a: (n, hidden_size), vectors of one layer.
            b: (m, hidden_size), the same.
            layer: Their layer.

        Returns:
            float32 (n, m), cosines in [-1, 1]; 0 where a vector is the mean itself.

        Raises:
            ValueError: The vectors have another size than the model's, or no such layer exists.
        """
        self._check(layer)
        mean = self.means[layer].astype(np.float64)
        if a.shape[1:] != mean.shape or b.shape[1:] != mean.shape:
            raise ValueError(f"vectors have shape {a.shape} and {b.shape}, mean {mean.shape}")
        return cosine_matrix(a - mean, b - mean).astype(np.float32)

    def _check(self, layer: int) -> None:
        if not 0 <= layer < self.layers:
            raise ValueError(f"layer {layer} of {self.model}; expected 0 to {self.layers - 1}")


def calibration_of(
    model: str,
    vectors: Array,
    token_ids: Ids,
    origins: Ids,
    *,
    sentences: int,
    means: Array | None = None,
) -> Calibration:
    """Measure the cosines of unrelated pairs among vectors in random order.

    The vectors are split into groups of 100. Each vector is paired with the 100 of the next group,
    and those of the last group with the first. A pair is unrelated when token and origin both
    differ. So all vectors are in about equally many pairs, at the cost of one small matrix product
    a group.

    Args:
        model: Name of the checkpoint.
        vectors: float32 (layers, n, hidden_size); their order must be random.
        token_ids: int64 (n,), the token of each.
        origins: int64 (n,), the sentence of each.
        sentences: How many sentences there are.
        means: (layers, hidden_size), what centring takes away; None for the mean of `vectors`.

    Returns:
        The calibration, from about 100 n pairs.

    Raises:
        UserInputError: Fewer than 100 unrelated pairs are left.
    """
    size = max(min(PARTNERS, len(token_ids) // 2), 1)
    groups = len(token_ids) // size
    used = groups * size
    unrelated = _differ(token_ids[:used], size) & _differ(origins[:used], size)
    pairs = int(np.count_nonzero(unrelated))
    if pairs < LEAST_PAIRS:
        raise UserInputError(
            f"Only {pairs} unrelated pairs of tokens can be made for {model}; "
            f"a calibration needs at least {LEAST_PAIRS}."
        )
    if means is None:
        means = vectors.mean(axis=1, dtype=np.float64).astype(np.float32)
    by_layer: list[tuple[Array, Array, Any, Any]] = []
    for rows, mean in zip(vectors[:, :used], means, strict=True):
        raw = _group_cosines(rows, size)[unrelated]
        centred = _group_cosines(rows - mean, size)[unrelated]
        mean_cosines = (cosines.mean(dtype=np.float64) for cosines in (raw, centred))
        by_layer.append((_quantiles(raw), _quantiles(centred), *mean_cosines))
    quantiles, centred_quantiles, anisotropy, centred_anisotropy = (
        frozen(values) for values in zip(*by_layer, strict=True)
    )
    return Calibration(
        model=model,
        sentences=sentences,
        vectors=used,
        pairs=pairs,
        quantiles=quantiles,
        centred_quantiles=centred_quantiles,
        anisotropy=anisotropy,
        centred_anisotropy=centred_anisotropy,
        means=frozen(means),
    )


def _next_group(groups: NDArray[Any]) -> NDArray[Any]:
    return np.roll(groups, -1, axis=0)


def _differ(labels: Ids, size: int) -> NDArray[np.bool_]:
    """Where the labels of a pair differ: bool (groups, size, size)."""
    groups = labels.reshape(-1, size)
    differ: NDArray[np.bool_] = groups[:, :, None] != _next_group(groups)[:, None, :]
    if len(groups) == 2:
        differ[1] = False  # two groups meet once, not twice
    return differ


def _group_cosines(rows: Array, size: int) -> Array:
    """Cosines of each group with the next: float32 (groups, size, size)."""
    groups = unit_rows(rows, np.float32).reshape(-1, size, rows.shape[1])
    cosines: Array = groups @ _next_group(groups).transpose(0, 2, 1)
    return np.clip(cosines, -1, 1)


def _quantiles(cosines: Array) -> Array:
    quantiles: Array = np.quantile(cosines, np.linspace(0, 1, QUANTILES)).astype(np.float32)
    return np.maximum.accumulate(quantiles)  # rounding must not make them fall
