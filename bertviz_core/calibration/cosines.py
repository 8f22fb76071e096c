"""The cosines of pairs, kept as quantiles, and the percentile of any other cosine."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_core.arrays import Array, Exact, cosine_matrix, read_only
from bertviz_core.result import Result

# The percentiles that are kept: as fine as they are shown, in tenths at both ends.
PERCENTS: Exact = read_only(
    np.concatenate([np.arange(10) / 10, np.arange(1, 99), np.arange(990, 1001) / 10])
)
ERRORS_AT = (5, 25, 50, 75, 95)  # percentiles whose sampling error is measured


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Result):
    """A percentile scale: how the cosines of one kind of pairs are spread, layer by layer.

    All arrays are read-only, and float32 but for `percents`; row n stands for layer n, 0 for the
    input embedding. "Centred" means: the mean vector of the layer was taken away from both
    vectors first.

    Attributes:
        model: Name of the checkpoint.
        sentences: How many sentences the vectors come from.
        vectors: How many vectors were paired.
        pairs: How many pairs they form.
        quantiles: (layers, 119), cosines that `percents` of the pairs do not exceed.
        centred_quantiles: The same after centring.
        anisotropy: (layers,), mean cosine of the pairs, in [-1, 1].
        centred_anisotropy: The same after centring.
        means: (layers, hidden_size), the mean vector of each layer.
        kind: What was paired, in words: "pairs of any tokens".
        errors: (layers, 5), standard errors of the percentiles 5, 25, 50, 75 and 95, in points, by
            leaving out each sentence in turn.
        centred_errors: The same after centring.
        percents: float64 (119,), rising from 0 to 100.
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
    kind: str
    errors: Array
    centred_errors: Array
    percents: Exact = field(default_factory=lambda: PERCENTS)

    @property
    def layers(self) -> int:
        """Number of rows: num_hidden_layers + 1."""
        return len(self.quantiles)

    def percentile(self, cosine: float, layer: int = 0, *, centred: bool = False) -> float:
        """Do `percentiles` for one cosine."""
        return float(self.percentiles(np.float64(cosine), layer, centred=centred))

    def percentiles(self, cosines: Any, layer: int = 0, *, centred: bool = False) -> Any:
        """Say how many of the pairs have a lower cosine.

        Args:
            cosines: The cosines to judge, an array.
            layer: Where they were measured.
            centred: Whether they are cosines of centred vectors (`centred_cosines`).

        Returns:
            float64 of the same shape, percent of the pairs, 0 to 100, exact to 0.1 points for the
            pairs that were measured; cosines that several quantiles share stand in their middle.

        Raises:
            ValueError: There is no such layer.
        """
        self._check(layer)
        quantiles = (self.centred_quantiles if centred else self.quantiles)[layer]
        # In float32, as the quantiles are: 0.9 in float64 would miss an equal quantile.
        given = np.asarray(cosines, dtype=np.float32)
        # Of equal quantiles `np.interp` takes the last, and the first where all is turned round.
        last = np.interp(given, quantiles, self.percents)
        first = np.interp(-given, -quantiles[::-1], self.percents[::-1])
        return (first + last) / 2

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

    def interval(self, percentile: float, layer: int = 0, *, centred: bool = False) -> Exact:
        """Say how far a percentile depends on the sentences that were measured.

        Args:
            percentile: As of `percentile`.
            layer: Where the cosine was measured.
            centred: Whether it is a cosine of centred vectors.

        Returns:
            float64 (2,), the 95% interval: 1.96 standard errors to both sides, within 0 and 100.

        Raises:
            ValueError: There is no such layer.

        References:
            Efron (1979), "Bootstrap Methods: Another Look at the Jackknife", on the errors that
            come from leaving out each sentence in turn, nearly those of drawing them anew.
        """
        self._check(layer)
        errors = self.centred_errors if centred else self.errors
        error = np.interp(percentile, (0, *ERRORS_AT, 100), (0, *errors[layer], 0))
        interval: Exact = np.clip(percentile + 1.96 * error * np.array([-1, 1]), 0, 100)
        return interval

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

    def columns(self) -> dict[str, Any]:
        """One row a layer."""
        columns = {
            "layer": np.arange(self.layers),
            "mean cosine": self.anisotropy,
            "mean-centred": self.centred_anisotropy,
        }
        for title, quantiles in (("", self.quantiles), (", centred", self.centred_quantiles)):
            for percent in ERRORS_AT:
                exceeded = [np.interp(percent, self.percents, row) for row in quantiles]
                columns[f"{percent}% below{title}"] = np.array(exceeded)
        return columns

    def _summary(self) -> str:
        return (
            f"{self.model}, {self.pairs:,} {self.kind}, layers 0 to {self.layers - 1}; mean cosine "
            f"{self.anisotropy[0]:.3f} at the input, {self.anisotropy[-1]:.3f} at the last"
        )
