"""Percentiles of cosines: computed, rounded, in words, and as a column of a table."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertviz_core.arrays import Array, Exact, read_only
from bertviz_core.result import Result
from bertviz_core.saved_files import Column

# The percentiles that are kept: whole ones, and tenths at both ends, as they are shown.
PERCENTS: Exact = read_only(
    np.concatenate([np.arange(10) / 10, np.arange(1, 99), np.arange(990, 1001) / 10])
)
SHOWN = (5, 25, 50, 75, 95)  # in a table of a baseline


@dataclass(frozen=True, eq=False, repr=False)
class Baseline(Result):
    """The spread of the cosines of one kind of pairs, layer by layer."""

    kind: str  # of pairs: "pairs of mixed content words"
    pairs: int
    quantiles: Array  # float32 (layers, 119), cosines that `PERCENTS` of the pairs do not exceed
    anisotropy: Array  # float32 (layers,), mean cosine of the pairs, in [-1, 1]

    def percentile(self, cosine: float, layer: int = 0) -> float:
        """Which percent of the pairs have a lower cosine."""
        return float(percentiles_among(cosine, self.quantiles[layer]))

    def exceeded(self, percent: float) -> Exact:
        """The cosine that so many percent of the pairs do not exceed: float64 (layers,)."""
        return np.array([np.interp(percent, PERCENTS, row) for row in self.quantiles])

    def columns(self) -> dict[str, Any]:
        """One row a layer."""
        return {"layer": np.arange(len(self.quantiles)), "mean cosine": self.anisotropy} | {
            f"{percent}% below": self.exceeded(percent) for percent in SHOWN
        }


def percentiles_among(values: Any, quantiles: Array) -> Any:
    """Which percent of those whose `quantiles` (119,) are known are lower, float64; NaN of NaN."""
    # In float32, as the quantiles are: 0.9 in float64 differs from an equal quantile.
    given = np.asarray(values, dtype=np.float32)
    # Of equal quantiles `np.interp` takes the last; with the signs turned, the first.
    last = np.interp(given, quantiles, PERCENTS)
    first = np.interp(-given, -quantiles[::-1], PERCENTS[::-1])
    return (first + last) / 2


def cut_percentiles(percentiles: ArrayLike) -> Exact:
    """Percentiles cut to whole ones, near the ends to tenths; none becomes 100 or 0."""
    exact = np.asarray(percentiles, dtype=np.float64)
    tenths = np.floor(10 * exact + 1e-9) / 10
    cut: Exact = np.where((exact >= 1) & (exact < 99), np.floor(exact + 1e-9), tenths)
    return np.where(exact > 0, np.maximum(cut, 0.1), cut)


def in_words(scale: Baseline | None, cosine: float, layer: int = 0) -> str:
    """A cosine's percentile: "higher than 71% of pairs of mixed content words"; "" for None."""
    return "" if scale is None else str(hints(scale.percentile(cosine, layer), scale.kind))


def hints(percentiles: ArrayLike, kind: str) -> NDArray[np.str_]:
    """What to say of each percentile: "higher than 71% of pairs of such a kind", "" for NaN."""
    ends: dict[float, str] = {0: "lower than all measured", 100: "higher than all measured"}
    texts = [
        "" if np.isnan(value) else f"{ends.get(value, f'higher than {value:g}% of')} {kind}"
        for value in np.ravel(cut_percentiles(percentiles)).tolist()
    ]
    return np.array(texts, dtype=np.str_).reshape(np.shape(percentiles))


def column(percentiles: NDArray[Any]) -> Column:
    """A table's column of percentiles, cut by `cut_percentiles`; empty cells for NaN."""
    values = [None if np.isnan(value) else value for value in cut_percentiles(percentiles).tolist()]
    return Column(values, decimals=None)
